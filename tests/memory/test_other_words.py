"""A memory is found although the question uses another word for the same thing: one table a native can review."""

from __future__ import annotations

import pytest

from omoide.memory import Memories
from omoide.model.memory import Draft
from omoide.text import Analyzer

#: What other memories say. Many share characters or words with what is asked for below.
OTHERS = [
    *("Went hiking with Sam on Sunday.", "Prefers tea without sugar.", "Anna's birthday is in March."),
    *("The car needs new brakes.", "Plans a trip to Lisbon.", "The meeting with Omar is postponed."),
    *(
        "周日和小李去爬山。",
        "牙醫搬到中山路了。",
        "会议记录在桌上。",
        "汽車要換剎車片。",
        "他的电话号码没变。",
        "网球比赛在周六。",
    ),
    *("手工課很有趣。", "服务员很热情。", "猫叫小黑。"),
    *(
        "日曜に山へ行った。",
        "車のブレーキを交換する。",
        "電気スタンドを注文した。",
        "アンナの誕生日は三月。",
        "猫の名前はクロ。",
    ),
    *(
        "リスボン旅行を計画中。",
        "設定の紙は机の上。",
        "配信が止まった。",
        "王さんとの会議は延期。",
        "夜に推理小説を読む。",
    ),
]

WORDS = [
    # British and American spellings, in any inflection
    ("favourite colour", "Her favorite color is teal."),
    ("favorite color", "His favourite colour is teal."),
    ("who organised the offsite", "Mia organizes the offsite."),
    ("organization of the offsite", "Mia sees to the organisation."),
    ("city centre", "The flat is in the city center."),
    ("catalogue", "The seed catalog arrived."),
    ("analyze logs", "Analysed the logs all day."),
    ("licence", "The driving license is due in May."),
    ("doughnuts", "Donuts on Friday."),
    ("pajamas", "Silk pyjamas for the twins."),
    ("colorful", "A colourful kite."),
    # irregular forms
    ("what did she write", "She wrote a letter to the landlord."),
    ("who wrote it", "Mia writes the release notes."),
    ("the child", "Their children start school in April."),
    ("children's shoes", "Every child got new shoes."),
    ("where did he fly", "He flew to Osaka on Monday."),
    ("knives", "Sharpened the knife."),
    ("what was stolen", "Somebody steals bikes here."),
    # numbers in words
    ("twenty-five guests", "There were 25 guests at the party."),
    ("25 guests", "There were twenty-five guests at the party."),
    ("the fifth floor", "The lab is on the 5th floor."),
    ("21st birthday", "Her twenty-first birthday is a Sunday."),
    ("2nd attempt", "It compiled at the second attempt."),
    # units and short forms
    ("suitcase of 23 kilograms", "The airline allows 23kg a suitcase."),
    ("10 km", "She runs ten kilometres every morning."),
    ("行李 23公斤", "The airline allows 23 kg a suitcase."),
    ("23キログラムのスーツケース", "The airline allows 23 kg a suitcase."),
    ("走了10公里", "毎朝10キロメートル走る。"),
    ("laboratory keys", "The lab keys hang by the door."),
    ("fridge", "The refrigerator needs a new seal."),
    ("Postgres port", "PostgreSQL listens on 5433."),
    ("k8s cluster", "The Kubernetes cluster is in Osaka."),
    # places and languages
    ("Tokyo apartment", "東京のマンションを借りた。"),
    ("京都", "A week in Kyoto in April."),
    ("上海", "She moved to Shanghai."),
    ("Shanghai", "上海の支店へ出張。"),
    ("巴黎", "The trip to Paris was rainy."),
    ("德国签证", "ドイツのビザを申請した。"),
    ("ドイツ", "他去德国读研了。"),
    ("Seattle office", "西雅图办公室下个月搬家。"),
    ("ニューヨーク", "The New York office moves next month."),
    ("フランス語", "Mia has studied French for years."),
    ("French lessons", "周二晚上学法语。"),
    ("杜拜", "她在迪拜转机。"),
    # everyday words
    ("hospital", "病院の予約は火曜。"),
    ("お弁当", "昨天的便当很好吃。"),
    ("ramen and udon", "乌冬面和拉面都点了。"),
    ("味噌", "We are out of miso."),
    ("拿铁", "A latte is 480 yen there."),
    ("过年", "春节的车票买好了。"),
    ("過年", "旧正月は台北へ帰る。"),
    ("旧正月", "春节要回老家。"),
    ("らーめん", "The ramen here is good."),
    ("ramen", "らーめん屋に並んだ。"),
    ("拉麺", "ラーメン屋に並んだ。"),
    ("こーひー", "Coffee keeps him awake."),
    ("郵遞區號", "邮编是一零零零零一。"),
    ("郵便番号", "The postcode is SW1A 1AA."),
    ("zip code", "郵便番号は一の一。"),
    ("postal code", "邮政编码还没填。"),
    ("judo", "她每周五练柔道。"),
    ("柔道", "Judo class is on Friday."),
    ("kendo", "剣道の稽古が増えた。"),
    ("剑道", "剣道の稽古が増えた。"),
    ("瑜伽", "ヨガの教室に通う。"),
    ("anime", "他喜欢看动漫。"),
    ("動漫", "The anime ends this spring."),
    ("医院预约", "The hospital appointment is on Tuesday."),
    ("smartphone", "スマートフォンを落とした。"),
    ("スマホ", "昨天买了新的智能手机。"),
    ("自転車", "My bicycle has a flat tyre."),
    ("bike", "自転車がパンクした。"),
    ("vegetarian", "她吃素食三年了。"),
    ("周三", "医生约在星期三上午。"),
    ("禮拜三", "水曜日はジムの日。"),
    ("月曜", "毎週月曜日に燃えるゴミを出す。"),
    ("ワクチン", "The vaccine appointment moved to May."),
    ("salary", "下个月工资涨百分之五。"),
    ("公园", "In the park they feed ducks."),
    ("what did she eat for breakfast", "朝ごはんにパンを食べた。"),
    ("早饭吃了什么", "She ate toast for breakfast."),
    ("昨日何を買った", "昨天买了一双鞋。"),
    ("妈妈的生日", "お母さんの誕生日は六月。"),
    ("お父さんの仕事", "Dad works at a bank."),
    ("mom", "她妈妈是护士。"),
    ("letter from grandma", "祖母から手紙が届いた。"),
    ("いちごが好き", "她喜欢草莓。"),
    ("expensive camera", "高価なカメラを売った。"),
    ("她害怕蜘蛛", "蜘蛛が怖い。"),
    ("wolf", "森で狼を見た。"),
    ("引っ越し", "下个月搬家。"),
    ("洗衣服", "洗濯は土曜にする。"),
    ("prime minister of the kingdom", "王国の首相が辞めた。"),
    # English terms of several words
    ("緑茶", "Green tea keeps her awake."),
    ("绿茶", "Green tea keeps her awake."),
    ("春节", "Flying home for Lunar New\nYear."),
    ("クレジットカード", "Lost two credit cards on the train."),
    ("信用卡", "Lost two credit-cards on the train."),
    ("イギリス", "My brother moved to the United Kingdom."),
    ("United Kingdom", "UK power plugs have three pins."),
    ("美国", "She flew to the United States for a conference."),
    ("United States", "アメリカの弁護士に契約書を見てもらう"),
    ("ネット代", "网费每月九十九元。"),
    ("internet bill", "ネット代は月四千円。"),
    ("ウミガメ", "Saw a sea turtle off the coast."),
    ("海龟", "海亀の産卵を見た。"),
    ("matcha", "抹茶のお菓子をもらった。"),
    ("お父さん", "爸爸爱喝酒。"),
    # ...also verbs, with an object between their words
    ("who quit his job", "She resigned from the company in April."),
    ("when did she quit her job", "森さんは会社を辞めた。"),
    ("辞职", "Ken is quitting his boring job next month."),
    ("call it off", "花火大会は中止。"),
    ("取消", "Called the barbecue off because of hail."),
    ("throw them away", "靴を捨てた。"),
    ("減量", "Losing some weight before the summer."),
    ("broke up with his girlfriend", "太郎は花子と別れた。"),
    ("照顾", "Ines takes care of the twins."),
    ("報名", "Tessa signed up for a marathon."),
    ("拍照", "Took a few pictures of the bridge."),
    ("担当", "Ida is in charge of hiring."),
    # what is often written in hiragana, and may be several words of the dictionary
    ("sweet potatoes", "さつまいもを焼いた。"),
    ("红薯", "さつま芋を掘った。"),
    ("菠菜", "ほうれん草のおひたしを作る。"),
    ("spinach", "ほうれんそうを買い足した。"),
    ("cousin", "いとこと映画を見た。"),
    ("剪刀", "はさみは引き出しの中。"),
    # Chinese words that a dictionary cuts apart, and verbs with their objects
    ("有給休暇", "年假还剩五天。"),
    ("annual leave", "年假还剩五天。"),
    ("income tax", "个税六月底申报。"),
    ("バックエンド", "后端用Go写。"),
    ("犬", "她养狗十年了。"),
    ("alcohol", "医生说不能喝酒。"),
    ("塩", "医生建议我少吃盐。"),
    ("computer memory", "パソコンのメモリを増やす。"),
    ("内存", "パソコンのメモリを増やす。"),
    ("メモリ", "記憶體加到64G。"),
    ("听诊器", "聴診器はロッカーにある。"),
    ("injection", "昨天打针很疼。"),
    ("打针", "注射は左腕にした。"),
    ("part time job", "バイト先は駅前の本屋。"),
    ("打工", "バイト先は駅前の本屋。"),
    ("轮胎", "冬用のタイヤに替えた。"),
    ("油漆", "壁にペンキを塗った。"),
    ("教程", "チュートリアルが長すぎる。"),
    ("水龙头", "The faucet drips at night."),
    ("蛇口", "厨房的水龙头坏了。"),
    ("field trip", "春游去动物园。"),
    # synonyms of one language
    ("what did I purchase", "Bought a Toyota."),
    ("who got fired", "Boris was dismissed."),
    ("why was the hike put off", "The hike is postponed because of rain."),
    ("the timid kid", "Nora is shy."),
    ("転居の日", "引っ越しは五月三日。"),
    ("退職した人", "森さんは会社を辞めた。"),
    ("月給はいくら", "給料は三十万。"),
    ("内緒の話", "これは秘密だ。"),
    ("多忙な時期", "年末は忙しい。"),
    ("年休は何日", "有給休暇が五日残っている。"),
    ("月薪多少", "工资是一万二。"),
    ("房子的售价", "那套房价格三百万。"),
    ("她的单车", "自行车锁在楼下。"),
    ("谁腼腆", "小杰很害羞。"),
    ("赔礼了没有", "他向李阿姨道歉了。"),
    ("谁被开除", "老周被公司解雇了。"),
    ("夸奖了谁", "班主任表扬了小雨。"),
    # dictionary forms with other characters
    ("climbing", "友達と登った。"),
    ("バス停", "The bus stop is closed."),
    # the Mainland, Taiwan and Hong Kong
    ("服务器密码", "伺服器的密碼換了。"),
    ("伺服器", "服务器的密码换了。"),
    ("软件更新", "軟體更新在週三。"),
    ("軟體", "软件更新在周三。"),
    ("網路", "家里网络很慢。"),
    ("資料庫", "数据库在备份。"),
    ("程序", "程式出錯了。"),
    ("视频", "她剪了一段影片。"),
    ("影片", "她爱拍视频。"),
    ("鼠标", "買了無線滑鼠。"),
    ("出租车", "坐計程車去機場。"),
    ("計程車", "打出租车去机场。"),
    ("印表機", "打印机缺纸。"),
    ("列印", "合同要打印两份。"),
    ("内存", "記憶體加到64G。"),
    ("記憶體", "内存加到64G。"),
    ("硬碟", "硬盘坏了。"),
    ("U盘", "隨身碟在抽屜。"),
    ("短信", "收到銀行簡訊。"),
    ("筆記型電腦", "筆電的電池換了。"),
    ("笔记本电脑", "新買的筆記型電腦很輕。"),
    ("影印機", "复印机卡纸了。"),
    ("視訊會議", "视频会议改到周五。"),
    ("视频会议", "下週有視訊會議。"),
    ("驾照", "駕駛執照下個月到期。"),
    ("超級市場", "楼下的超市关门了。"),
    ("港鐵站", "地铁站口有家花店。"),
    ("的士", "打出租车去机场。"),
    ("塑膠袋", "不要用塑料袋。"),
    ("珍珠奶茶", "下午請大家喝珍奶。"),
    ("智慧型手機", "他的智能手机是新的。"),
    ("螢幕", "屏幕太亮。"),
    ("預設", "默认语言是日语。"),
    ("用户", "使用者要求退款。"),
    ("捷運", "坐地铁上班。"),
    ("公車", "等公交车等了二十分钟。"),
    ("盒饭", "中午吃便當。"),
    ("冷氣", "空调太冷。"),
    ("菠萝", "喜歡吃鳳梨。"),
    ("部落格", "她写博客。"),
    ("充电宝", "行動電源忘在車上。"),
    ("紐西蘭", "新西兰的羊。"),
    # names and loanwords
    ("谷歌的账号", "Google帳號換了密碼。"),
    ("Google", "谷歌的面试在周五。"),
    ("グーグル", "谷歌的面试在周五。"),
    ("微信", "WeChat group of the family."),
    ("wechat", "微信群有五百人。"),
    ("アイフォン", "iPhoneを買い替えた。"),
    ("iPhone", "アイフォンを買い替えた。"),
    ("ギットハブ", "GitHubの権限を申請した。"),
    ("GitHub", "ギットハブの権限を申請した。"),
    ("スラック", "Slackで連絡する。"),
    ("Docker", "ドッカーの設定を変えた。"),
    ("Python", "パイソンを勉強中。"),
    ("thread pool", "執行緒最多八個。"),
    ("スレッド", "线程最多八个。"),
    ("email", "電子郵件改成新的了。"),
    ("クラッシュ", "上传大图时程序崩溃。"),
    ("タイムアウト", "The timeout is 30 seconds."),
    ("非同期", "The asynchronous worker is idle."),
    ("絵文字", "She dislikes emoji."),
    ("emoji", "不要使用表情符號。"),
    ("通勤", "She commutes by ferry."),
    ("refactoring", "下周重构支付模块。"),
    ("ブランチ", "分支名用英文。"),
    ("ポート", "服务的端口是5433。"),
    ("vulnerability", "脆弱性を報告した。"),
    ("漏洞", "The vulnerability was patched."),
    ("ノーション", "Notionに議事録を置く。"),
    ("Android", "アンドロイドの端末を借りた。"),
    ("Android", "买了一部安卓手机。"),
    ("データベース", "databaseの移行は土曜。"),
    ("cloud", "クラウドに保存した。"),
    ("フェイスブック", "Facebookをやめた。"),
    ("YouTube", "ユーチューブで配信した。"),
    ("ネットフリックス", "Netflixで観た。"),
    # as people say it, or short
    ("我爸喜欢什么", "父亲爱钓鱼。"),
    ("我妹的生日", "妹妹生于六月。"),
    ("闺女对什么过敏", "女儿对花生过敏。"),
    ("岳母在哪儿", "丈母娘住在苏州。"),
    ("牙科的电话", "瑞尔齿科的电话是021-6433-8899。"),
    ("dentist", "Dental check-up with Dr Patel."),
    ("xmas", "Spending Christmas in York."),
    ("nov 23", "The recital is on November 23."),
    ("next appt", "Appointment with the vet."),
    ("tues", "Closed on Tuesday afternoons."),
]


@pytest.mark.parametrize(("asked", "written"), WORDS)
def test_a_question_finds_what_is_called_otherwise(memories: Memories, asked: str, written: str) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, written)])
    best = memories.recall(asked).hits[0]
    assert best.memory.text == written
    assert best.relevance > 0.25


@pytest.mark.parametrize(
    ("asked", "exact", "other"),
    [
        ("what did I purchase", "Purchased a lamp in Kyoto.", "Bought a lamp in Kyoto."),
        ("転居の日", "転居は五月三日。", "引っ越しは五月三日。"),
        ("退職した人", "森さんが退職した。", "森さんが辞めた。"),
        ("月薪多少", "月薪是一万二。", "工资是一万二。"),
        ("工资多少", "工资是一万二。", "月薪是一万二。"),
    ],
)
@pytest.mark.parametrize("exact_is_older", [True, False])
def test_the_word_of_the_question_comes_before_another_for_the_same(
    memories: Memories, asked: str, exact: str, other: str, exact_is_older: bool
) -> None:
    both = (exact, other) if exact_is_older else (other, exact)
    memories.remember_many([Draft(text=text) for text in (*OTHERS, *both)])
    assert [hit.memory.text for hit in memories.recall(asked).hits[:2]] == [exact, other]


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("电影片段很短。", "视频"),
        ("新しいモデル", "dell"),
        ("ジャバラの門", "java"),
        ("the curb", "kerb"),
        # words of the other language in the same characters
        ("他买了手纸。", "letter"),
        ("娘家在苏州。", "daughter"),
        ("丈夫な箱だ。", "husband"),
        ("大家都来了。", "landlord"),
        ("床を拭いた。", "bed"),
        ("老婆の昔話。", "wife"),
    ],
)
def test_part_of_another_word_is_not_called_otherwise(text: str, term: str) -> None:
    assert term not in Analyzer().document(text).terms


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("大家好，我们开会吧。\n日本語を勉強する。", "japanes"),
        ("Dear all,\n日本語を勉強する。", "japanes"),
        ("日本語を勉強する。\n我们都去迪拜。", "dubai"),
    ],
)
def test_beside_lines_in_another_language_words_are_called_otherwise_too(text: str, term: str) -> None:
    assert term in Analyzer().document(text).terms


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("会員登録のメールが届かない。", "login"),
        ("確認項目を減らした。", "project"),
        ("合同練習は日曜の朝。", "contract"),
        ("人事の部署に異動した。", "deploy"),
        ("駅から徒歩五分。", "hike"),
        ("バイクの免許を取った。", "bicycl"),
        ("トレーニングは週三回。", "train"),
        ("临床试验延期了。", "examin"),
        ("买了一辆电车，充电很方便。", "train"),
        ("给与新人更多机会。", "salari"),
        ("用户画像做完了。", "imag"),
        ("他打桌球很厉害。", "乒乓球"),
        ("银行卡注销了。", "登出"),
        ("朝食後に2錠飲む。", "lock"),
        ("紅葉を見に行った。", "mapl"),
        ("課題は人手不足だ。", "task"),
        ("这条线坐三站。", "thread"),
        ("The test suite is slow.", "suit"),
        ("This plan is fine.", "罚款"),
        ("分公司搬家了。", "branch"),
        ("メモを残す。", "leav"),
        ("しおりをはさみました。", "scissor"),
        ("一年假装不认识。", "paidleav"),
        ("Call the doctor to turn it off.", "cancel"),
        ("He quit and got a job.", "resign"),
        ("Throw the ball. Far away is the dog.", "discard"),
    ],
)
def test_a_word_that_means_something_else_here_is_not_called_so(text: str, term: str) -> None:
    assert term not in Analyzer().document(text).terms


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        # parts of Chinese words that are also called otherwise
        ("马德里", "去德里出差。"),
        ("马德里", "The trip to Delhi was hot."),
        ("都柏林的酒店", "The office in Berlin."),
        ("葡萄牙", "She eats grapes every day."),
        ("葡萄牙", "ぶどうを買った。"),
        ("記憶體", "童年的记忆。"),
        ("女朋友", "A friend plays the piano."),
        ("部落格", "The tribe left the valley."),
        # and those that only a Japanese dictionary finds in a question that may be of either language
        ("谷歌", "The song of the valley."),
        ("谷歌", "山谷裡的歌。"),
        ("火狐", "A fox near the fire."),
        ("水果", "Drink some water."),
        ("机器人", "機械の机を注文した。"),
        ("打印机", "A mark on the desk."),
        # and of Japanese words
        ("自転車", "The car needs new tyres."),
        # and of runs of katakana
        ("フェイスブック", "Read a good book."),
        ("タイムアウト", "No time to go out."),
        ("スマートフォンを落とした", "Smart and fond of horses."),
        ("タイ語", "タイ料理を食べた。"),
    ],
)
def test_a_part_of_what_is_called_otherwise_is_not_asked_for(memories: Memories, asked: str, text: str) -> None:
    memories.remember_many([Draft(text=each) for each in (*OTHERS, text)])
    assert all(hit.relevance < 0.25 for hit in memories.recall(asked).hits if hit.memory.text == text)


@pytest.mark.parametrize(("asked", "text"), [("十年", "結婚して10年。"), ("两次", "每天2次")])
def test_a_number_in_what_is_called_otherwise_is_asked_for(memories: Memories, asked: str, text: str) -> None:
    memories.remember_many([Draft(text=each) for each in (*OTHERS, text)])
    assert memories.recall(asked).hits[0].memory.text == text


@pytest.mark.parametrize(
    ("asked", "meant", "other"),
    [
        # what means something else in Chinese, in a question that may be of either language
        ("部署", "人事の部署に異動した。", "デプロイを自動化した。"),
        ("項目", "チェック項目を減らした。", "プロジェクトの予算は五百万。"),
        # what shares a few characters with the question
        ("クーポン", "The coupon expires in May.", "クーラーのポンプを直した。"),
        ("ワイファイ", "The Wi-Fi is down.", "設定ファイルは机の上。"),
        ("フェイスブック", "Facebookをやめた。", "Read a good book."),
        ("马德里的天气", "Madrid is sunny.", "The trip to Delhi was hot."),
        ("盒饭", "中午吃便當。", "发工资那天请大家吃饭。"),
        # what another language has one word for
        ("back pain", "腰痛のために毎晩ストレッチをしている。", "牛乳を飲むとお腹が痛くなる。"),
        ("green tea", "绿茶比红茶好喝。", "The green door needs paint."),
        # a word in katakana that no dictionary knows the origin of
        ("パクチーが嫌い", "Cilantro tastes like soap.", "I hate eggplant and pickles."),
        # English words with one stem
        ("business partner", "Our business partner is Sofia.", "Busy with a partner on Monday."),
        ("import job", "The import job failed.", "Important job interview."),
        ("customer refund", "A customer asked for a refund.", "The refund of the custom keyboard."),
        ("suit for the test", "面试穿西装。", "The test suite takes nine minutes."),
    ],
)
def test_what_is_meant_comes_before_what_only_looks_like_it(
    memories: Memories, asked: str, meant: str, other: str
) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, meant, other)])
    hits = memories.recall(asked).hits
    assert hits[0].memory.text == meant
    assert all(hit.relevance < 1.0 for hit in hits if hit.memory.text == other)


@pytest.mark.parametrize(
    ("asked", "same", "other"),
    [
        ("軟體", "軟體很貴。", "软件很贵。"),
        ("グーグル", "グーグルを使う。", "Googleを使う。"),
        ("软件", "软件很贵。", "軟體很貴。"),
    ],
)
def test_what_is_written_as_it_was_asked_comes_first(memories: Memories, asked: str, same: str, other: str) -> None:
    memories.remember_many([Draft(text=text) for text in (*OTHERS, other, same)])
    assert [hit.memory.text for hit in memories.recall(asked).hits][:2] == [same, other]


def test_the_answer_says_what_was_asked_for(memories: Memories) -> None:
    memories.remember("服务器的密码换了。")
    assert list(memories.recall("伺服器").hits[0].why.words) == ["伺服器"]


#: Long messages, and a text that shares a few words with each, all of which are also called otherwise.
MESSAGES = {
    "爸爸送了一个玩具。": "爸爸答应买给我那个新机器人，但是他忘记了。我每天都在等着，想着今天回家就能看到它。所有同学都有了，我也好想拥有一个。",
    "医院在公园对面。": "上次从公园回来的路上摔了一跤，膝盖一直疼，妈妈说应该早点去看看，可是我最近实在太忙了。",
    "孩子在学校踢足球。": "周末的足球比赛我们输了，教练说下次要更努力，队友都有点难过，不过晚上一起吃了火锅。",
    "病院で薬をもらった。": "先週から咳が続いていて、今朝は病院に電話してみたけど、予約がいっぱいで来週まで待つことになりそう。",
}


@pytest.mark.parametrize("text", MESSAGES)
def test_a_long_message_finds_a_text_by_words_that_are_called_otherwise_as_surely_as_by_any(
    memories: Memories, text: str
) -> None:
    crowd = [f"第{n}次例会延期了，大家都没意见。" for n in range(40)] + [
        f"第{n}回の定例会は延期です。" for n in range(40)
    ]
    memories.remember_many([Draft(text=each) for each in (*crowd, text)])
    best = memories.recall(MESSAGES[text]).hits[0]
    assert best.memory.text == text
    assert best.relevance > 0.5
