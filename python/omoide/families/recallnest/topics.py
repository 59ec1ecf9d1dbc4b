"""Guesses the topic of a text whose writer gave none: auth, deploy, infra, ...

Useful for: `topicTag` as a filter for memories that nobody tagged. Not useful for: replacing a tag that was given.
Invariant: pure; the topic with the most matches wins, on a tie the first in the table; without a match there is none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from omoide.text import plain
from omoide.text.detect import has_kana

#: Only the beginning of a long text is read.
READ_CHARS = 2000
#: Size of the cache of words with their topics.
REMEMBERED = 16_384

#: Topic -> words. Latin ones match whole words, with `*` at the end any word that begins so; others match anywhere, Chinese ones as
#: they are written in Simplified and in Traditional characters: folded to one, 認可 (Japanese: authorization) would be 认可 (approval).
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "auth": "auth authn authz oauth* jwt login signin sso saml oidc password* credential* passkey* "
        "認証 認可 ログイン パスワード 登录 登錄 登入 鉴权 鑑權 认证 認證 密码 密碼 单点登录 單點登入",
        "deploy": "deploy* rollout* rollback* release* canary blue-green デプロイ リリース 部署 上线 上線 发布 發布 回滚 回滾",
        "infra": "docker kubernetes k8s container* cluster* terraform ansible helm nginx vpc aws gcp azure server* "
        "コンテナ クラスタ クラスター サーバー サーバ インフラ 容器 集群 叢集 服务器 伺服器 运维 運維 基础设施 基礎設施",
        "testing": "test tests testing pytest jest vitest unittest* e2e coverage mock* テスト 単体試験 测试 測試 用例 覆盖率 覆蓋率",
        "database": "database* db sql sqlite postgres* mysql redis mongodb schema* migration* "
        "データベース スキーマ マイグレーション 数据库 數據庫 資料庫 数据表 數據表 資料表 迁移脚本 遷移腳本",
        "api": "api apis rest graphql grpc endpoint* webhook* openapi エンドポイント 接口 端点 端點",
        "ui": "ui ux css html frontend react vue svelte button* layout* component* 画面 ボタン フロントエンド 界面 前端 按钮 按鈕 页面 頁面",
        "perf": "perf performance latency throughput benchmark* profil* slow optimi* "
        "性能 速度 遅延 高速化 最適化 延迟 延遲 吞吐 优化 優化 基准",
        "security": "security vulnerab* cve xss csrf injection encrypt* セキュリティ 脆弱性 暗号化 安全漏洞 漏洞 加密 注入",
        "docs": "docs documentation readme changelog tutorial* ドキュメント 文書 説明書 文档 文檔 手册 手冊 教程",
        "memory": "memory memories recall* embedding* rerank* 記憶 想起 记忆 回忆 回憶 召回 向量",
        "mcp": "mcp stdio tool-call* toolcall*",
        "llm": "llm llms gpt* claude gemini prompt* token-limit* 大模型 提示词 提示詞 言語モデル プロンプト",
        "config": "config configs configuration setting* env dotenv yaml toml 設定 環境変数 配置 环境变量 環境變數",
        "data": "data dataset* csv parquet etl pipeline* データ データセット 数据 數據 数据集",
    }
)
#: Not the words above in a text with kana: Chinese ones that mean something else in Japanese (部署 a department, 容器 a vessel,
#: 配置 an arrangement, 注入 pouring in), and longer words that only contain one.
_OTHER_IN_JAPANESE = re.compile("部署|容器|配置|注入|コンテスト|プロテスト")


def topic_of(text: str) -> str | None:
    """The topic of a text; None if no word of a topic is in it."""
    beginning = plain(text[:READ_CHARS])
    topics = [topic for word in _WORD.findall(beginning) for topic in _topics_of(word)]
    if _has_phrase(beginning):  # few texts do: one check saves one for each topic
        if has_kana(beginning):
            beginning = _OTHER_IN_JAPANESE.sub(" ", beginning)
        topics += [topic for topic, pattern in _phrases().items() for _ in pattern.findall(beginning)]
    return max(_WORDS, key=topics.count) if topics else None


_WORD = re.compile("[a-z0-9_]+")
#: The words with a hyphen.
_HYPHENED = tuple(word.removesuffix("*") for words in _WORDS.values() for word in words.split() if "-" in word)
_NONE: set[str] = set()


@lru_cache(REMEMBERED)
def _topics_of(word: str) -> tuple[str, ...]:
    """The topics of a word of Latin letters. Cached, as texts repeat their words."""
    by_word, by_prefix, lengths = _latin()
    topics = [by_prefix[begin] for length in lengths if (begin := word[:length]) in by_prefix]
    return tuple(by_word.get(word, _NONE).union(*topics))


@cache
def _latin() -> tuple[Mapping[str, set[str]], Mapping[str, set[str]], Sequence[int]]:
    """(topics by word, topics by prefix, lengths of the prefixes)."""
    by_word: defaultdict[str, set[str]] = defaultdict(set)
    by_prefix: defaultdict[str, set[str]] = defaultdict(set)
    for topic, words in _WORDS.items():
        for word in filter(_is_word, words.split()):
            (by_prefix if word.endswith("*") else by_word)[word.removesuffix("*")].add(topic)
    return by_word, by_prefix, sorted(set(map(len, by_prefix)))


@cache
def _phrases() -> Mapping[str, re.Pattern[str]]:
    """Topic -> a pattern of those of its words that are not plain Latin words; made when first needed."""
    rest = {topic: [_pattern(word) for word in words.split() if not _is_word(word)] for topic, words in _WORDS.items()}
    return {topic: re.compile("|".join(words)) for topic, words in rest.items() if words}


def _has_phrase(beginning: str) -> bool:
    has_hyphened = "-" in beginning and any(word in beginning for word in _HYPHENED)
    return has_hyphened or _beyond_ascii().search(beginning) is not None


@cache
def _beyond_ascii() -> re.Pattern[str]:
    """A pattern of all words in Han characters or kana."""
    return re.compile(
        "|".join(_pattern(word) for words in _WORDS.values() for word in words.split() if not word.isascii())
    )


def _is_word(word: str) -> bool:
    return word.isascii() and "-" not in word


def _pattern(word: str) -> str:
    if not word.isascii():
        return re.escape(word)
    stem = re.escape(word.removesuffix("*"))
    # `\b` would not do: Han characters and kana beside a word do not change it.
    return f"(?<![a-z0-9_]){stem}" + ("" if word.endswith("*") else "(?![a-z0-9_])")
