"""What counts as a date inside a text, and where it stands."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from omoide import dates
from omoide.dates import Mention, Moment
from omoide.dates.lexer import may_hold_date

ZONE = timezone(timedelta(hours=9))
NOW = datetime(2026, 3, 15, 12, tzinfo=ZONE)

CERTAIN = [
    ("what did we decide last week about billing", ["last week"]),
    ("notes from March 2023 and April 2024", ["March 2023", "April 2024"]),
    ("budget in 2022", ["2022"]),
    ("standup on 2024-01-15, retro on 2024-01-19", ["2024-01-15", "2024-01-19"]),
    ("the meeting next Monday or last Friday", ["next Monday", "last Friday"]),
    ("先週の金曜日に決めたこと", ["先週の金曜日"]),
    ("3日前と昨日の会話", ["3日前", "昨日"]),
    ("最近30天的决定", ["最近30天"]),
    ("上周五和昨天的会议", ["上周五", "昨天"]),
    ("after:2024-01 auth", ["after:2024-01"]),
    ("明朝九時の便", ["明朝九時"]),
    ("翌日の会議", ["翌日"]),
    ("当日の様子", ["当日"]),
    ("2025年の問題", ["2025年"]),
    ("what happened Today?", ["Today"]),
    ("did anything break in June", ["June"]),
    ("先月の3件の障害", ["先月"]),
    ("今月の2位は誰", ["今月"]),
    ("2010年1月の第25回大会", ["2010年1月"]),
    ("上个月3次会议", ["上个月"]),
    ("上個月的5位訪客", ["上個月"]),
    ("last month's 3 incidents", ["last month"]),
    ("先月の10日の件", ["先月の10日"]),
    ("Yesterday Alice said no", ["Yesterday"]),
    ("下周日本出差的安排", ["下周"]),
    ("下週日語課", ["下週"]),
    ("这周三个会都取消了", ["这周"]),
    ("下周一起吃饭", ["下周"]),
    ("下星期日本出差", ["下星期"]),
    ("下個禮拜日本出差", ["下個禮拜"]),
    ("下个星期一直下雨", ["下个星期"]),
    ("下礼拜一起吃饭", ["下礼拜"]),
    ("上星期五天都在下雨", ["上星期"]),
    ("这个星期三个会", ["这个星期"]),
    ("下下星期一开会", ["下下星期一"]),
    ("下星期日本来要开会", ["下星期日"]),
    ("本周一直下雨", ["本周"]),
    ("下周一开会", ["下周一"]),
    ("周二手术", ["周二"]),
    ("昨下午三点", ["昨下午三点"]),
    ("昨夏の大会", ["昨夏"]),
    ("上季的销售", ["上季"]),
    ("周三个人总结", ["周三"]),
    ("下周一直播", ["下周一"]),
    ("周日语音会议", ["周日"]),
    ("周日记得买菜", ["周日"]),
    ("国庆节后天气怎么样", ["国庆节后"]),
    ("三天前天氣很冷", ["三天前"]),
    ("三天前晚上去了哪里", ["三天前"]),
    ("前晚上哪去了", ["前晚"]),
    ("三年前儿子出生", ["三年前"]),
    ("昨儿去了哪里", ["昨儿"]),
    ("今年度假去哪里", ["今年"]),
    ("去年國慶日報導", ["去年國慶"]),
    ("仨人三月份去的", ["三月份"]),
    ("20年秋田で暮らした昨日の人", ["昨日"]),
    ("后天天气", ["后天"]),
    ("后天气温多少", ["后天"]),
    ("2016年9月，一名商人", ["2016年9月"]),
    ("1980年代でも使われた", ["1980年代"]),
    ("the trip on 4 and 5 May with Bob", ["4 and 5 May"]),
    ("on 3 may we met", ["3 may"]),
    ("on March 4 and 5 users left", ["March 4"]),
    ("March 4 and 5pm", ["March 4"]),
    ("三月四五号的出差", ["三月四五号"]),
    ("三月四、五号线开通", ["三月四"]),
    ("三月四、五号线上会议", ["三月四、五号"]),
    ("3月4、5日の出張", ["3月4、5日"]),
    ("3月4、5人", ["3月4"]),
    ("our offsite in the summer of 23", ["summer of 23"]),
    ("the summer of 69 was hot", ["summer of 69"]),
    ("23年的夏天我们住在哪里", ["23年的夏天"]),
    ("where did we eat on the 5th?", ["the 5th"]),
    ("who came the weekend before Christmas", ["the weekend before Christmas"]),
    ("every Monday after Easter", ["after Easter"]),
    ("圣诞节前的周末去了哪里", ["圣诞节前的周末"]),
    ("前三季度的营收", ["前三季度"]),
    ("2000年的历史数据", ["2000年"]),
    ("our numbers of the first half of last year", ["first half of last year"]),
    ("what did half of last year's bugs cost", ["last year"]),
    ("去年の半ばに決めたこと", ["去年の半ば"]),
    ("去年年中的决定", ["去年年中"]),
    ("my notes from the second half of 2025", ["second half of 2025"]),
    ("in the first half of last month", ["first half of last month"]),
    ("the second half of the year", ["second half of the year"]),
    ("当年年底的计划", ["当年年底"]),
    ("公元618年建立", ["618年"]),
    ("the day before Christmas", ["the day before Christmas"]),
    ("what did we do day after Thanksgiving", ["day after Thanksgiving"]),
    ("every day after Christmas", ["after Christmas"]),
    ("day before the launch last week", ["last week"]),
    ("night after night last week", ["last week"]),
    ("we won 9 to 5 on Monday", ["Monday"]),
    ("lost 4 to 5 on Friday", ["Friday"]),
    ("lost 9-5 on Friday", ["Friday"]),
    ("beat them 9 to 5 last month", ["last month"]),
    ("who logged in from 9 to 5 on Monday?", ["from 9 to 5 on Monday"]),
    ("we met at ten to five yesterday", ["ten to five yesterday"]),
    ("open from ten to five yesterday", ["from ten to five yesterday"]),
    ("we went from a quarter to 5 million yesterday", ["yesterday"]),
    ("cut it ten to five yesterday", ["yesterday"]),
    ("lost 10 past orders yesterday", ["yesterday"]),
    ("half past the limit yesterday", ["yesterday"]),
    ("20 after 9 users left yesterday", ["yesterday"]),
    ("with 5 minutes to spare yesterday", ["yesterday"]),
    ("around 9ish yesterday", ["9ish yesterday"]),
    ("the early hours I like, Monday too", ["Monday"]),
    ("昨天2、3个会", ["昨天"]),
    ("昨天去了全球第一大半导体厂", ["昨天"]),
    ("去年日本黄金周过后", ["去年日本黄金周过后"]),
    ("out from half past seven to 4pm tomorrow", ["from half past seven to 4pm tomorrow"]),
    ("at the end of the day yesterday", ["the end of the day yesterday"]),
    ("昨天第2、3点意见", ["昨天"]),
    ("昨天二十三点", ["昨天二十三点"]),
    ("クリスマス前半の売上と昨日", ["昨日"]),
    ("去年のこの時期の売上", ["去年のこの時期"]),
    ("this week and the day before", ["this week"]),
    ("the first thing yesterday's meeting decided", ["yesterday"]),
    ("spring of water last year", ["last year"]),
    ("先月15日分の請求", ["先月15日"]),
    ("one year ago last month", ["one year ago", "last month"]),
    ("4、5月のメモ", ["4、5月"]),
    ("4・5月のメモ", ["4・5月"]),
    ("三、四月的旅行", ["三、四月"]),
    ("表1,3月の売上", ["3月"]),
    ("早在1911年就开始使用", ["1911年"]),
    ("清朝光緒十七年重建", ["光緒十七年"]),
    ("打敗清朝，1895年馬關條約", ["1895年"]),
    ("2008年5月20日，前主席", ["2008年5月20日"]),
    ("2016年6月20日、前述の条項", ["2016年6月20日"]),
    ("昭和55年（1980年）以前", ["昭和55年", "1980年）以前"]),
    ("8月（50歳）に会う", ["8月"]),
    ("since X.25 in 1973, about twenty networks", ["1973"]),
    ("一日は雨でした", ["一日"]),
    ("慈禧太后在9月19日回宮", ["9月19日"]),
    ("搶劫後，10月18日燒毀", ["10月18日"]),
    ("私の3年前の日記", ["3年前の"]),
    ("約3年前に会った", ["約3年前に"]),
    ("我三天前去了", ["三天前"]),
    ("我前几天说的", ["前几天"]),
    ("reply within 2 days", ["within 2 days"]),
    ("きょうは会議", ["きょう"]),
    ("きのう見た映画", ["きのう"]),
    ("きょうとあしたの予定", ["きょう", "あした"]),
    ("ことしの目標", ["ことし"]),
    ("せんしゅうのメモ", ["せんしゅう"]),
    ("5日10時の会議", ["5日10時"]),
    ("music of the 80s and the late '90s", ["80s", "late '90s"]),
    ("today every test passes", ["today"]),
    ("先月末日本に行った", ["先月末"]),
    ("何日か前の会話", ["何日か前の"]),
    ("2024年三季度", ["2024年三季度"]),
    ("来春の予定", ["来春"]),
    ("その日の様子", ["その日"]),
    ("这天的会议", ["这天"]),
    ("找不到三天前的记录", ["三天前"]),
    ("a keeper for over sixty years from 1892 until 1954", ["sixty years from 1892 until 1954"]),
    ("15日から3日前", ["15日から3日前"]),
    ("lunch 3p tomorrow", ["3p tomorrow"]),
    ("昼食 3 p. m. yesterday", ["3 p. m. yesterday"]),
    ("ゴールデンウィークの旅行", ["ゴールデンウィーク"]),
    ("GWに行った場所", ["GW"]),
    ("お盆に帰省した話", ["お盆"]),
    ("年末年始の予定", ["年末年始"]),
    ("元旦に書いた目標", ["元旦"]),
    ("クリスマスの翌日の写真", ["クリスマスの翌日"]),
    ("五一假期去了哪里", ["五一假期"]),
    ("国庆期间的旅行", ["国庆期间"]),
    ("过年吃了什么", ["过年"]),
    ("除夕那天说的", ["除夕"]),
    ("what did I cook at Thanksgiving", ["Thanksgiving"]),
    ("what broke on Labor Day", ["Labor Day"]),
    ("anything new since Easter", ["since Easter"]),
    ("what broke since midnight?", ["since midnight"]),
    ("the last 48 hours of logs", ["the last 48 hours"]),
    ("errors in the last 30m", ["in the last 30m"]),
    ("music of the 80s and 90s", ["80s", "90s"]),
    ("80〜90年代の音楽", ["80〜90年代"]),
    ("八九十年代的歌", ["八九十年代"]),
    ("90年代后期的电影", ["90年代后期"]),
    ("今年の春から夏にかけての計画", ["今年の春から夏にかけて"]),
    ("25年度上期の売上", ["25年度上期"]),
    ("25年上半年的目标", ["25年上半年"]),
    ("三月的账单", ["三月"]),
    ("三月份账单", ["三月份"]),
    ("三月左右读的书", ["三月"]),
    ("mid-May meetings", ["mid-May"]),
    ("先週とその前の週", ["先週とその前の週"]),
    ("昨日の夕食", ["昨日"]),
    ("昨日の夜食べたもの", ["昨日の夜"]),
    ("大前天的晚饭", ["大前天"]),
    ("昨晚饭后", ["昨晚"]),
    ("今朝食べたもの", ["今朝"]),
    ("删除昨天的记录", ["昨天"]),
    ("本周刊登的广告", ["本周"]),
    ("Monday morning standup", ["Monday morning"]),
    ("2024年製作の映画", ["2024年"]),
]

UNCERTAIN = [
    "who moved the other month",
    "we met the other week",
    "the other weekly report",
    "a fall of 23 points",
    "spring of 20 newtons",
    "the summer of 42 interns",
    "the second half was better",
    "who sits on the 5th floor?",
    "every Monday after the launch",
    "the week before last Christmas",
    "この半分",
    "前些時候說的",
    "つい先日の話",
    "开年大戏",
    "version 3 may break",
    "versions 2 and 3 may break",
    "四五号线开通",
    "四五号楼的电梯",
    "4、5日かかる",
    "in one thousand ways",
    "told in two thousand ways",
    "since two thousand users left",
    "一千年的历史",
    "两千年的文明",
    "上下五千年",
    "二千年の歴史を持つ都市",
    "1000年的历史",
    "2000年の歴史",
    "千年の都",
    "at the last minute",
    "what happened the next day?",
    "the day before we left",
    "当年的事",
    "當年我們說的話",
    "旅行的第二天",
    "这年头谁还写信",
    "后天努力与天赋",
    "1日券の値段",
    "2日分の薬",
    "創業100年の店",
    "建国100年",
    "今までの経緯",
    "今から行ける店",
    "現在までのところ",
    "7時15分前に着く",
    "2つ前のバージョン",
    "the first half of the book",
    "goals in the second quarter of the game",
    "和星期一样忙",
    "像礼拜一樣",
    "本日志记录所有请求",
    "一星期五天的课",
    "in 1024 dimensions",
    "returned within 30 days of purchase",
    "year 2 of school",
    "昨今の情勢",
    "昨シーズンの成績",
    "昨季の優勝チーム",
    "前年同月比の売上",
    "月復一月",
    "義經死後兩月",
    "激战两日",
    "締切の3日前にリマインド",
    "入社3年後の給料",
    "退院の2週間後",
    "購入後30日以内に返品",
    "受け取ってから3日以内",
    "毕业三年后的工资",
    "截止日期的三天前提醒",
    "考试前三天开始复习",
    "收貨後7天內退貨",
    "the budget of fiscal year 2025",
    "revenue in FY 2025",
    "3日に一度の掃除",
    "亚历山大前325年归来",
    "卢克莱修（前99年-前55年）",
    "从1.4版起由别的团队开发",
    "2009/10赛季的冠军",
    "一日も早い立法",
    "日復一日",
    "一日中大雨でした",
    "とうきょうタワー",
    "べんきょうのやりかた",
    "きょうだいとの仲",
    "きょうとのおみやげ",
    "そんなことしか言わない",
    "あすかさんの話",
    "あしたばの天ぷら",
    "きのうえにのぼる",
    "ゆうべんな人",
    "30分で作れるレシピ",
    "3日で飽きる",
    "1日1万歩",
    "1日8時間の睡眠",
    "the standup is every Monday",
    "every other Friday",
    "family hikes on weekends",
    "each January",
    "毎週月曜日の定例会",
    "毎年3月の行事",
    "毎月15日に払う",
    "每周一的例会",
    "每年农历九月初九",
    "每逢週三",
    "a man in his 30s",
    "in her late twenties",
    "in the upper 40s",
    "a timeout of 30s",
    "tens of thousands of users",
    "the early years of the church",
    "in the following months",
    "how much do they eat in a day?",
    "AM1470",
    "一月一次的例会",
    "一周一次的例会",
    "每週兩次",
    "如今年轻人喜欢什么",
    "首次登上月球是哪一国",
    "史上年龄最大的选手",
    "世界盃決賽周參賽資格",
    "我确实应该早点准备",
    "日本天皇的诏书",
    "位于日本秋田县",
    "在课堂上分享",
    "城內分若干片",
    "近四分之三的信徒",
    "佔全部外資的一半以上",
    "一年四季",
    "春、夏两季",
    "在哪一個世紀傳入",
    "数千年来的信仰",
    "千年湖的传说",
    "上映第一周",
    "明朝修建的长城",
    "周天子",
    "デビューした年は何年ですか",
    "何月何日でしょうか",
    "発売されたのは何年後ですか",
    "後何年かかりますか",
    "任期は5年です",
    "8週間である",
    "この分野の専門家",
    "不十分です",
    "来日した外国人",
    "数千年にわたって",
    "こんばんは",
    "こんばんわー",
    "a child less than 30 days old",
    "people older than 65 years",
    "超过三年的老客户",
    "少なくとも3回",
    "at least 200 people",
    "port 8080",
    "you may go",
    "v2.3.1 is out",
    "ping 192.168.1.1",
    "2048 tokens",
    "$2000 for 3-4 people",
    "the sun is up",
    "march on",
    "second opinion",
    "一起去上海",
    "前の会社の先生",
    "第一次去日本",
    "万一の場合",
    "后端服务",
    "may I come in",
    "v2.3.1",
    "version 2024.1.3",
    "バージョン2024.1.3",
    "版本 2024.1.3",
    "3/4 of a cup",
    "iPhone 15",
    "24/7 support",
    "room 101",
    "the second option",
    "I second that",
    "call 555-1234",
    "ratio 16:9",
    "10.0.0.1",
    "99.9%",
    "ISBN 978-4-10",
    "2000 yen",
    "1000 words",
    "a day in the life",
    "day by day",
    "now what",
    "H100 GPU",
    "RTX 4090",
    "Windows 11",
    "Python 3.12",
    "HTTP 404",
    "1984 by Orwell",
    "the fall of Rome",
    "spring boot",
    "sun protection",
    "sat down",
    "wed in secret",
    "April O'Neil",
    "June Carter",
    "August Strindberg",
    "Season 2 Episode 3",
    "chapter 12",
    "page 2023",
    "line 2024",
    "500 ms",
    "3-2-1",
    "12-15 people",
    "5.5 million",
    "GPT-4",
    "4:3 screen",
    "month end closing",
    "the third man",
    "1st place",
    "Q&A",
    "三国志",
    "一日千秋",
    "十分",
    "今日子さん",
    "今日頭条の運用",
    "三月さんの誕生日",
    "三月のライオンの感想",
    "月曜会の議事録",
    "日曜大工",
    "千年女優",
    "后天免疫",
    "後天性",
    "前天津市长",
    "二日酔い",
    "一年生",
    "五月雨",
    "千年の恋",
    "2000円",
    "100号室",
    "3丁目4番",
    "第2章",
    "七夕祭り",
    "春日部市",
    "秋葉原",
    "冬美さん",
    "夏目漱石",
    "一時停止",
    "五分五分",
    "三日坊主",
    "十日町",
    "四日市",
    "八日市",
    "廿日市",
    "百年の孤独",
    "三月兔",
    "五一路",
    "七喜",
    "九月奖",
    "一日三餐",
    "十分钟",
    "星期八餐厅",
    "春天百货",
    "秋水",
    "冬瓜",
    "夏洛特",
    "今日头条",
    "明天集团",
    "昨日重现",
    "三年级",
    "二年级学生",
    "1号线",
    "2号楼",
    "3号门",
    "2000元",
    "110号",
    "2.0版本",
    "第五季",
    "月亮",
    "日本",
    "年糕",
    "周杰伦",
    "周星驰",
    "上海",
    "号码12",
    "八月长安",
    "一月份额",
    "时间管理",
    "分钟",
    "第3回",
    "3割引",
    "12時間営業",
    "二十歳の原点",
    "午後の紅茶",
    "朝日新聞",
    "年賀状",
    "暑中見舞い",
    "月額500円",
    "日経平均",
    "年齢",
    "三角関係",
    "3日ぶりの雨",
    "3日連続",
    "the 3d model",
    "I'd say so",
    "a 2d plot",
    "w and y axes",
    "三月份额",
    "公元前221年",
    "三天打鱼两天晒网",
    "第二十四回",
    "明日方舟",
    "日本橋三丁目",
    "May the force be with you",
    "March of the Penguins",
    "sat on the fence",
    "an autumn-coloured coat",
    "5 out of 7",
    "page 3 of 12",
    "1:1 meeting",
    "100 days of code",
    "365日",
    "白夜行",
    "$19.99",
    "No. 1984",
    "Area 51",
    "COVID-19",
    "US-2024-X1",
    "RFC 2119",
    "ISO 8601",
    "第3章第2節",
    "1日2回飲む薬",
    "1日あたりの上限",
    "3日目のカレー",
    "明日葉の天ぷら",
    "火曜サスペンスの犯人",
    "年末調整の書類",
    "前年比の出し方",
    "翌日配送の設定",
    "当日券の買い方",
    "2025年問題とは",
    "20世紀少年の作者",
    "明朝体のフォント",
    "明朝的皇帝是谁",
    "明朝那些事儿",
    "20世纪福克斯",
    "周末效应是什么",
    "同年级的同学",
    "當日達怎麼選",
    "千年古镇",
    "how do I print in 3D?",
    "what does June like to eat?",
    "who told April about it?",
    "USA Today",
    "the sequel of Edge of Tomorrow",
    "1Q84",
    "3QX25",
    "第三季什么时候播",
    "お正月遊びの種類",
    "四月一日さん",
    "1日3食",
    "我儿子上初一了吗",
    "order 2025-123",
    "腊八粥怎么做",
    "十五夜お月さん",
    "平日ダイヤ",
    "early and late binding",
    "the last three weeks of the project",
    "the last 100m of the race",
    "500m先を右",
    "timeouts of 30s and 60s",
    "dinner at midnight",
    "Christmas tree",
    "クリスマスツリーの飾り",
    "クリスマスについて",
    "API GWの設定",
    "お盆に載せた茶碗",
    "端午粽子怎么做",
    "不过年轻人喜欢",
    "超過年薪三十萬",
    "その前の週の話",
    "月曜以外の予定",
    "the meeting is every day except Monday",
    "any day other than Friday",
    "not on Tuesday",
    "金曜は除く",
    "月曜じゃない日",
    "除周一外",
    "不包括三月",
    "月曜を除く平日",
    "除了周一都行",
    "2024年式のプリウス",
    "2024年モデルのMac",
    "2024年款的车",
    "師走という店",
    "《昨天》的作者",
    "三月的獅子",
    "日曜画家の個展",
    "明日のジョー",
    "週末起業の本",
    "周五常的书",
    "明天会更好的歌词",
    "本周刊主编",
    "同日配送の条件",
    "monday.com boards",
    "Sunday school picnic",
    "Saturday Night Live sketch",
    "same-day delivery fees",
    "20th Century Fox",
]


def explicit(text: str) -> list[str]:
    return [one.text for one in dates.find(text, now=NOW, zone=ZONE) if one.explicit]


@pytest.mark.parametrize(("text", "wanted"), CERTAIN)
def test_a_certain_date_is_found_where_it_stands(text: str, wanted: list[str]) -> None:
    assert explicit(text) == wanted


@pytest.mark.parametrize("text", UNCERTAIN)
def test_numbers_and_everyday_words_are_not_certain_dates(text: str) -> None:
    assert explicit(text) == []


LISTED = [
    ("上周一和周三的会议", [(3, 2), (3, 4)]),
    ("上星期一或者星期二", [(3, 2), (3, 3)]),
    ("先週の月曜、火曜と水曜の会議", [(3, 2), (3, 3), (3, 4)]),
    ("先週の月曜の朝と火曜の朝", [(3, 2), (3, 3)]),
    ("来週の月曜か火曜", [(3, 16), (3, 17)]),
    ("今度の月曜と火曜", [(3, 16), (3, 17)]),
    ("last Monday and Tuesday", [(3, 2), (3, 3)]),
    ("Monday or Tuesday of last week", [(3, 2), (3, 3)]),
    ("last week on Monday, Tuesday, and on Friday", [(3, 2), (3, 3), (3, 6)]),
    ("先月の5日と8日", [(2, 5), (2, 8)]),
    ("上个月5号和8号", [(2, 5), (2, 8)]),
    ("the 5th and 8th of February", [(2, 5), (2, 8)]),
    ("去年の12月と1月", [(12, 1), (1, 1)]),
    ("先週の金曜と月曜", [(3, 6), (3, 9)]),
    ("Monday and last Tuesday", [(3, 9), (3, 3)]),
    ("先週の月曜と昨日", [(3, 2), (3, 14)]),
    ("上周一和今天", [(3, 2), (3, 15)]),
]


@pytest.mark.parametrize(("text", "days"), LISTED)
def test_what_is_said_once_of_two_dates_is_said_of_both(text: str, days: list[tuple[int, int]]) -> None:
    starts = [one.interval.start for one in dates.find(text, now=NOW, zone=ZONE) if one.explicit]
    assert [(start.month, start.day) for start in starts if start] == days


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("去年の3月と4月", [(2025, 3), (2025, 4)]),
        ("2023年三月、四月", [(2023, 3), (2023, 4)]),
        ("March and April 2023", [(2023, 3), (2023, 4)]),
        ("March or April of last year", [(2025, 3), (2025, 4)]),
        ("Jan/Feb 2025", [(2025, 1), (2025, 2)]),
        ("Q1/Q2 2025", [(2025, 1), (2025, 4)]),
        ("Jan/last April", [(2026, 1), (2025, 4)]),
        ("January and last April", [(2026, 1), (2025, 4)]),
        ("2024年第一季度和第二季度", [(2024, 1), (2024, 4)]),
        ("2023年3月と去年の4月", [(2023, 3), (2025, 4)]),
    ],
)
def test_two_months_or_quarters_are_of_the_year_said_with_one_of_them(text: str, months: list[tuple[int, int]]) -> None:
    starts = [one.interval.start for one in dates.find(text, now=NOW, zone=ZONE) if one.explicit]
    assert [(start.year, start.month) for start in starts if start] == months


@pytest.mark.parametrize(
    ("text", "granularity", "relative"),
    [
        ("two months ago", "month", True),
        ("2週間前", "week", True),
        ("2023年", "year", False),
        ("再来年度", "year", True),
        ("2025年3月期", "year", False),
        ("20世纪90年代", "decade", False),
        ("Q1 2024", "quarter", False),
        ("昨年の春", "season", True),
        ("2024-01-15T10:30:00Z", "second", False),
        ("昨天下午3点", "hour", True),
        ("yesterday", "day", True),
        ("19th century", "century", False),
    ],
)
def test_a_mention_says_its_unit_and_whether_it_depends_on_the_reference(
    text: str, granularity: str, relative: bool
) -> None:
    mention = whole(text)
    assert (mention.granularity, mention.relative) == (granularity, relative)


@pytest.mark.parametrize("text", ["Feb 30", "2月30日", "2019年2月29日", "2/29/2019", "31st of this month"])
def test_a_day_that_does_not_exist_is_no_date(text: str) -> None:
    in_february = NOW.replace(month=2)
    assert dates.parse(text, now=in_february, zone=ZONE) is None


@pytest.mark.parametrize("text", ["令和0年", "平成零年5月", "R0.2.1", "民國0年", "民国零年"])
def test_a_year_before_the_first_of_its_era_is_no_date(text: str) -> None:
    assert dates.parse(text, now=NOW, zone=ZONE) is None


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("3/4/2024", None, (3, 4)),
        ("3/4/2024", "day_first", (4, 3)),
        ("去 3/4/2024 开会", None, (4, 3)),
        ("25/4/2024", None, (4, 25)),
    ],
)
def test_ambiguous_digits_follow_the_language_or_the_given_order(
    text: str, order: dates.Order | None, day: tuple[int, int]
) -> None:
    start = dates.find(text, now=NOW, zone=ZONE, order=order)[0].interval.start
    assert start is not None
    assert (start.month, start.day) == day


@pytest.mark.parametrize(
    ("argument", "alone"),
    [
        ("at 3pm yesterday", "3pm yesterday"),
        ("last week's", "last week"),
        ("from 2018 on", "since 2018"),
        ("way back in 2015", "2015"),
        ("Wed, 15 Mar 2023 10:30:00 GMT", "2023-03-15T10:30:00Z"),
        ("西暦2023年", "2023年"),
        ("中華民國112年", "民國112年"),
        ("在过去的三个月里", "过去三个月"),
        ("今月中", "今月"),
        ("中秋节期间", "中秋节"),
        ("中秋节那天", "中秋节"),
        ("上周日那天", "上周日"),
        ("over the past month", "the past month"),
        ("over the last month", "past month"),
        ("during the last month", "last month"),
    ],
)
def test_words_around_the_date_of_an_argument_change_nothing(argument: str, alone: str) -> None:
    assert whole(argument).interval == whole(alone).interval


@pytest.mark.parametrize(("text", "day"), [("2025-001", (1, 1)), ("2025-123", (5, 3)), ("2024-366", (12, 31))])
def test_an_argument_may_count_the_days_of_its_year(text: str, day: tuple[int, int]) -> None:
    assert whole(text).interval.start == datetime(int(text[:4]), *day, tzinfo=ZONE)
    assert dates.parse("2025-366", now=NOW, zone=ZONE) is None


@pytest.mark.parametrize(
    "text", ["公元前221年", "紀元前221年", "三天打鱼", "3D", "two days or so models", "2025年6月期", "十五年底"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert dates.parse(text, now=NOW, zone=ZONE) is None


@pytest.mark.parametrize("text", ["三.5年前", "3.五年前", "three.5 years ago"])
def test_a_fraction_is_written_in_digits_alone(text: str) -> None:
    assert [one.start for one in dates.find(text, now=NOW, zone=ZONE)] == [text.index(".") + 1]


@pytest.mark.parametrize("text", ["12345年度の計画", "30000年3月期の決算"])
def test_a_fiscal_year_beyond_the_calendar_is_passed_over(text: str) -> None:
    assert [one for one in dates.find(text, now=NOW, zone=ZONE) if one.explicit and "年" in one.text] == []


def test_a_week_begins_on_the_day_that_is_set() -> None:
    sunday = dates.parse("this week", now=NOW, zone=ZONE, week_starts=6)
    assert sunday is not None
    assert sunday.interval.start == datetime(2026, 3, 15, tzinfo=ZONE)


def test_the_reference_is_read_in_the_zone_given() -> None:
    late_utc = datetime(2026, 3, 14, 20, tzinfo=timezone.utc)  # already the 15th in Tokyo
    today = dates.parse("今日", now=late_utc, zone=ZONE)
    assert today is not None
    assert today.interval.start == datetime(2026, 3, 15, tzinfo=ZONE)


def whole(text: str) -> Mention:
    mention = dates.parse(text, now=NOW, zone=ZONE)
    assert mention is not None
    return mention


@pytest.mark.parametrize("text", ["9999-12-31", "9999年", "0001-01-01", "year 1", "since year 1", "last 2000 years"])
@pytest.mark.parametrize("hours", [-12, 0, 14])
def test_the_ends_of_the_calendar_are_open_rather_than_beyond_it(text: str, hours: int) -> None:
    zone = timezone(timedelta(hours=hours))
    mention = dates.parse(text, now=NOW, zone=zone)
    if mention is not None:
        for end in (mention.interval.start, mention.interval.end):
            assert end is None or end.astimezone(timezone.utc)


def test_a_far_sentinel_date_is_understood() -> None:
    assert whole("9999-12-31").interval == dates.Interval(datetime(9999, 12, 31, tzinfo=ZONE), None)


@pytest.mark.parametrize(
    "text",
    [
        *(text for text, _ in CERTAIN),
        "3月5日の会議", "昨日", "今朝の話", "翌年の春", "この日", "年の前半", "月初め", "周一开会", "这一年", "两年后", "年初",
        "去年夏天", "十日", "三月", "last week", "on 8 May", "令和元年", "土日", "22-3 '21", "22/3 '21", "30-6 11",
    ],
)  # fmt: skip
def test_no_sure_date_is_passed_over_unread(text: str) -> None:
    found = dates.find(text, now=NOW, zone=ZONE)
    assert Moment(NOW, ZONE).sure_mentions(text) == [mention for mention in found if mention.explicit] != []


@pytest.mark.parametrize("text", ["日本の梅雨", "部分", "春子さん", "Caroline's plans", "夜景", "天気がいい", "月光"])
def test_most_questions_without_a_date_are_not_read_for_one(text: str) -> None:
    assert not may_hold_date(text, surely=True)


#: Said on Sunday, 15 March 2026: (text, the days of March that it names and the words for them).
DAYS_OF_A_WEEK = [
    ("上周一三五开会", [("上周一", 2), ("三", 4), ("五", 6)]),
    ("上周一、三、五的会议", [("上周一", 2), ("三", 4), ("五", 6)]),
    ("上星期二、四", [("上星期二", 3), ("四", 5)]),
    ("上個禮拜一和三", [("上個禮拜一", 2), ("三", 4)]),
    ("上週二四六上課", [("上週二", 3), ("四", 5), ("六", 7)]),
    ("上周六日", [("上周六", 7), ("日", 8)]),
    ("这周三四有空", [("这周三", 11), ("四", 12)]),
    ("上週四五都下雨", [("上週四", 5), ("五", 6)]),
    ("上周五六日在家", [("上周五", 6), ("六", 7), ("日", 8)]),
    ("周二三四开会", [("周二", 10), ("三", 11), ("四", 12)]),
    ("周六日一直下雨", [("周六", 14), ("日", 15)]),
    ("下周三周四请假", [("下周三", 18), ("周四", 19)]),
    ("今週の水木金曜は在宅", [("今週の水", 11), ("木", 12), ("金曜", 13)]),
    ("来週の火・木曜日", [("来週の火", 17), ("木曜日", 19)]),
    ("先週の火、木、金に", [("先週の火", 3), ("木", 5), ("金", 6)]),
    ("来週の水曜木曜", [("来週の水曜", 18), ("木曜", 19)]),
    ("先週の土日月に旅行した", [("先週の土日", 7), ("月", 9)]),
    ("先週の金土日月", [("先週の金", 6), ("土", 7), ("日", 8), ("月", 9)]),
    ("来週の土日月曜", [("来週の土日", 21), ("月曜", 23)]),
    ("先週の月〜水に出張", [("先週の月〜水", 2)]),
    ("先週の火～木曜", [("先週の火～木曜", 3)]),
    ("notes of Mon, Tue and Wed last week", [("Mon", 2), ("Tue", 3), ("Wed last week", 4)]),
    ("on Monday, Tuesday, and Friday of last week", [("Monday", 2), ("Tuesday", 3), ("Friday of last week", 6)]),
    ("上周一、周三和周五", [("上周一", 2), ("周三", 4), ("周五", 6)]),
    ("先週の月曜、水曜、金曜", [("先週の月曜", 2), ("水曜", 4), ("金曜", 6)]),
    ("先週の月水金に走った", [("先週の月", 2), ("水", 4), ("金", 6)]),
    ("今週の火・木が休み", [("今週の火", 10), ("木", 12)]),
    ("来週月火は在宅", [("来週月", 16), ("火", 17)]),
    ("先週の金土日", [("先週の金", 6), ("土", 7), ("日", 8)]),
    ("Mon/Tue last week", [("Mon", 2), ("Tue last week", 3)]),
    ("last Mon/Wed/Fri", [("last Mon", 2), ("Wed", 4), ("Fri", 6)]),
    # What follows is counted, or begins another word.
    ("上周一三点", [("上周一三点", 2)]),
    ("这周三四个人请假", [("这周三", 11)]),
    ("周三四点开会", [("周三四点", 11)]),
    ("周三四川菜", [("周三", 11)]),
    ("周六天都黑了", [("周六", 14)]),
    ("上周五六日程", [("上周五", 6)]),
    ("先週の水木しげる展", [("先週", 2)]),
    ("今週の水木金利", [("今週", 9)]),
    ("先週の土日月例会", [("先週の土日", 7)]),
    ("今週の月〜金星", [("今週", 9)]),
    ("来週の日月神社", [("来週", 16)]),
    ("上周一、三个会", [("上周一", 2)]),
    ("上周一二十人", [("上周一", 2)]),
    ("上周二、三亚出差", [("上周二", 3)]),
    ("上周一至三楼", [("上周一", 2)]),
    ("上周六日程", [("上周六", 7)]),
    ("上周五、四川出差", [("上周五", 6)]),
    ("今週の土木工事", [("今週", 9)]),
    ("来週の水道工事", [("来週", 16)]),
    ("今週の月日", [("今週", 9)]),
]


@pytest.mark.parametrize(("text", "days"), DAYS_OF_A_WEEK)
def test_days_of_a_week_named_together_are_dates_of_their_own(text: str, days: list[tuple[str, int]]) -> None:
    found = dates.find(text, now=NOW, zone=ZONE)
    assert [(one.text, one.interval.start.day) for one in found if one.interval.start] == days
    assert all(one.text == text[one.start : one.end] and one.explicit for one in found)


#: Names, counts and days counted from something else, which read as dates; (text, language and why for the reader).
NOT_CERTAIN = {
    "titles in lower case": [
        "watch friday night lights",
        "saturday night live",
        "ruby tuesday",
        "sunday school",
        "28 days later",
    ],
    "numbers that count": ["after 2000 users signed up", "after 1000 iterations", "before 1500 rows", "sat 1400 score"],
    "years of something else": ["class of 1999", "model year 2020", "2024-2025学年", "2025年財年"],
    "days counted from others": [
        "on the same day",
        "the following Monday",
        "その翌日",
        "誕生日の前日",
        "誕生日の次の日",
        "第二天起床",
        "第二天之后",
    ],
    "issues, illnesses, business years": ["3月号の記事", "5月病", "12月決算", "6月期", "月末締め"],
    "days a week": ["週3日勤務", "週休2日", "3日坊主"],
    "recurring days": [
        "on Fridays we deploy",
        "what do I do on Tuesdays",
        "每周一三五",
        "每個禮拜三四上課",
        "毎週月水金に走る",
    ],
    "comparisons": ["前年比", "前年度比"],
    "days of a journey": ["2泊3日の旅行", "1泊2日で京都"],
    "weekdays of a period that is not said": ["最終金曜日の定例", "最初の月曜日", "最后一个周五", "最後一個週五"],
    "a person who may": ["May 3 people join?", "may 2 of us come"],
    "numbers of lines, pay": ["3.5号线", "月底薪多少", "年底薪"],
    "idioms": ["at the end of the day it works"],
    "holidays only mentioned": ["国庆日程", "國慶日報", "正月飾り"],
    "before an event": ["開始5分前", "集合10分前に着く"],
    "other words": ["前年轻人很少", "w3c", "4w bulb", "march of the penguins", "may the force be with you"],
    "a year beside a day": ["we watched 1917"],
}


@pytest.mark.parametrize("text", [text for texts in NOT_CERTAIN.values() for text in texts])
def test_what_reads_like_a_date_but_may_be_something_else_is_not_certain(text: str) -> None:
    assert [one.text for one in dates.find(text, now=NOW, zone=ZONE) if one.explicit] == []


BESIDE_THEM = [
    ("we watched 1917 yesterday", ["yesterday"]),
    ("before 2020 we used cvs", ["before 2020"]),
    ("after 2000 it was different", ["after 2000"]),
    ("friday night in town", ["friday night"]),
    ("on Sunday at school", ["Sunday"]),
    ("3月に決算", ["3月"]),
    ("4月3日勤務した", ["4月3日"]),
    ("来月の2泊3日の旅行", ["来月"]),
    ("京都に2泊。3日に帰る", ["3日"]),
    ("先月の最終金曜日", ["先月の最終金曜日"]),
    ("上个月最后一个周五", ["上个月最后一个周五"]),
    ("On May 3 people came", ["May 3"]),
    ("May 3 works for me", ["May 3"]),
    ("three Fridays ago we deployed", ["three Fridays ago"]),
    ("the last three Mondays", ["the last three Mondays"]),
    ("前年度の予算", ["前年度"]),
    ("翌月の月曜に提出", ["翌月の月曜"]),
    ("翌月曜に提出", []),
    ("次の日の朝", ["次の日の朝"]),
    ("in two weeks' time we move", ["in two weeks' time"]),
    ("5分前に開始した", ["5分前に"]),
    ("翌日の会議", ["翌日"]),
    ("前年的会议", ["前年"]),
    ("活动从5月20日起到6月3日止", ["从5月20日起到6月3日止"]),
    ("same day last year", ["same day last year"]),
]


@pytest.mark.parametrize(("text", "wanted"), BESIDE_THEM)
def test_but_the_dates_beside_them_are(text: str, wanted: list[str]) -> None:
    assert [one.text for one in dates.find(text, now=NOW, zone=ZONE) if one.explicit] == wanted
