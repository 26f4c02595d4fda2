"""The Chinese newspaper: topics with their vocabularies and grammar."""

from __future__ import annotations

from webstruct.demo.labels import CHINESE_LABELS
from webstruct.demo.language import Language, named, topic, words

TOPICS = (
    topic(
        "时政",
        "shizheng",
        children="要闻=yaowen, 人大=renda, 地方=difang, 外交=waijiao, 法治=fazhi",
        tags="基层治理=jiceng, 住房政策=zhufang, 边境合作=bianjing, 政务公开=gongkai, 社区议事=yishi, "
        "公开听证=tingzheng",
        noun="会议 代表 政府 委员会 法案 条例 提案 部长 市长 选举 外交部 使馆 发言人 协定 峰会 议程 决议 "
        "听证会 法院 检察院 草案 政务 基层 干部 督查 问责 任命 公报 谈判 联合声明 访问 代表团 选区 投票 "
        "议员 秘书长 公约 立法 修正案 巡视",
        verb="审议 表决 通过 签署 任命 访问 批准 起草 督促 修订 会见 部署 质询 公布 罢免",
        adjective="双边的 法定的 临时的 基层的 公开的 全体的 正式的 部级的 司法的 合法的 跨境的 常设的",
    ),
    topic(
        "财经",
        "caijing",
        children="股市=gushi, 公司=gongsi, 能源=nengyuan, 楼市=loushi, 就业=jiuye",
        tags="利率=lilv, 风电=fengdian, 航运=hangyun, 创业=chuangye, 工资协商=gongzi, 储蓄=chuxu",
        noun="市场 企业 银行 股票 利润 投资者 价格 工厂 合同 贷款 股东 并购 零售商 供应链 关税 债券 仓库 "
        "出口 指数 养老金 工资 汇率 审计 风机 房贷 发票 经纪人 炼油厂 品牌 加盟店 房东 货轮 盈余 赤字 库存 "
        "码头 毛利率 专利 保险公司 电网",
        verb="收购 投资 出口 融资 审计 上市 发行 承保 外包 定价 租赁 合并 下调 召回 补贴",
        adjective="季度的 财务的 亏损的 上市的 批发的 海外的 低估的 工业的 商业的 破产的 季节性的 波动的",
    ),
    topic(
        "科技",
        "keji",
        children="航天=hangtian, 医学=yixue, 气候=qihou, 计算=jisuan, 自然=ziran",
        tags="探月=tanyue, 基因=jiyin, 冰川=bingchuan, 机器人=jiqiren, 深海=shenhai, 睡眠=shuimian",
        noun="研究员 实验室 实验 望远镜 样本 疫苗 物种 卫星 理论 基因组 分子 算法 传感器 冰川 神经元 轨道 "
        "酶 化石 数据集 反应堆 抗体 小行星 微生物 样机 激光 催化剂 同位素 模拟 陨石坑 蛋白质 假说 标本 "
        "处理器 光谱 彗星 珊瑚 探测器 粒子 胚胎 磁铁",
        verb="测量 观测 模拟 测序 校准 探测 合成 复现 发射 编目 建模 接种 分类 解剖 数字化",
        adjective="分子的 实验性的 临床的 遗传的 轨道的 微观的 地震的 热力学的 神经的 海洋的 统计的 磁性的",
    ),
    topic(
        "文化",
        "wenhua",
        children="读书=dushu, 电影=dianying, 音乐=yinyue, 美术=meishu, 戏剧=xiju",
        tags="艺术节=yishujie, 新人小说=xiaoshuo, 博物馆=bowuguan, 纪录片=jilupian, 歌剧=geju, 壁画=bihua",
        noun="小说 电影 展览 博物馆 乐团 画家 艺术节 专辑 画廊 演员 诗歌 舞台 导演 音乐会 雕塑 策展人 观众 "
        "剧本 合唱团 出版社 女高音 肖像 手稿 首映 剧作家 小提琴 戏服 章节 排练 壁画 档案 摄影师 评论家 旋律 "
        "芭蕾 拍卖 鼓手 画布 传记 木偶",
        verb="演出 展出 出版 创作 拍摄 绘制 翻译 上演 排练 策划 录制 插图 改编 修复 朗诵",
        adjective="抒情的 戏剧性的 古典的 手写的 畅销的 抽象的 怀旧的 喜剧的 交响的 自传体的 诗意的 获奖的",
    ),
    topic(
        "体育",
        "tiyu",
        children="足球=zuqiu, 田径=tianjing, 网球=wangqiu, 自行车=zixingche, 赛艇=saiting",
        tags="杯赛决赛=juesai, 转会=zhuanhui, 马拉松=malasong, 伤病=shangbing, 青年队=qingnian, 纪录=jilu",
        noun="球队 教练 比赛 进球 赛季 球员 联赛 决赛 裁判 前锋 后卫 体育场 奖牌 冠军 锦标赛 守门员 点球 "
        "短跑 球拍 车手 队长 赛程 接力 发球 奖杯 德比 替补 中场 马拉松 阵容 跨栏 领奖台 赛艇 截击 射手 板凳 "
        "运动员 圈速 附加赛 球迷",
        verb="攻破 防守 拦截 训练 扳平 击败 超越 替换 执教 签下 战胜 领先 警告 撞伤 庆祝",
        adjective="不败的 受伤的 越位的 主场的 客场的 头号的 降级的 疲惫的 灵活的 泥泞的 激烈的 年轻的",
    ),
    topic(
        "旅游",
        "lvyou",
        children="城市=chengshi, 海滨=haibin, 山野=shanye, 铁路=tielu, 美食=meishi",
        tags="夜行列车=yeche, 海岛=haidao, 徒步=tubu, 小吃=xiaochi, 周末游=zhoumo, 古镇=guzhen",
        noun="酒店 列车 海岛 沙滩 港湾 步道 村庄 餐馆 护照 渡轮 导游 灯塔 集市 机场 行李 菜谱 葡萄园 城堡 "
        "站台 客栈 峡谷 电车 寺院 瀑布 厨房 车厢 悬崖 面包房 泻湖 茶馆 指南针 教堂 巴扎 山顶 时刻表 营地 "
        "果园 面条 长廊 签证",
        verb="探访 游览 穿越 徒步走过 品尝 登上 预订 漫步 拍摄 烹饪 驶过 环游 收拾 回味 攀登",
        adjective="风景如画的 石板路的 海边的 偏远的 阳光下的 中世纪的 麻辣的 乡野的 沙质的 高山的 热闹的 蜿蜒的",
    ),
    topic(
        "教育",
        "jiaoyu",
        children="中小学=zhongxiaoxue, 高校=gaoxiao, 职教=zhijiao, 教师=jiaoshi, 学前=xueqian",
        tags="考试=kaoshi, 学徒=xuetu, 阅读=yuedu, 学费=xuefei, 校园=xiaoyuan, 外语=waiyu",
        noun="学校 老师 学生 考试 大学 课程 课堂 讲座 学位 教授 奖学金 图书馆 教材 大纲 学徒 校园 导师 成绩 "
        "幼儿园 校长 作业 研讨会 院长 宿舍 文凭 黑板 操场 识字 招生 作文 拼写 算术 校友 论文 学费 学期 测验 "
        "毕业生 家长会 课桌",
        verb="教授 批改 录取 辅导 考查 讲授 毕业于 指导 背诵 培养 监督 复习 评估 认证 朗读",
        adjective="学术的 职业的 双语的 本科的 教学的 寄宿的 课外的 中等的 勤奋的 免费的 公办的 启蒙的",
    ),
    topic(
        "健康",
        "jiankang",
        children="医院=yiyuan, 营养=yingyang, 心理=xinli, 健身=jianshen, 养老=yanglao",
        tags="候诊=houzhen, 护士=hushi, 健康饮食=yinshi, 过敏=guomin, 步行=buxing, 记忆=jiyi",
        noun="病人 医院 医生 护士 治疗 症状 饮食 外科 诊所 处方 过敏 疗法 病房 药房 诊断 维生素 救护车 肌肉 "
        "脉搏 助产士 剂量 护工 扫描 感染 食欲 康复 骨折 牙医 哮喘 激素 中风 绷带 理疗师 热量 失眠 移植 "
        "急救员 体力 胆固醇 轮椅",
        verb="治疗 诊断 开出 治愈 手术 筛查 免疫 康复 收治 监测 缓解 包扎 疏导 护理 出院",
        adjective="慢性的 医用的 营养的 传染的 高龄的 心脏的 呼吸的 无痛的 预防的 焦虑的 膳食的 发热的",
    ),
)

WORDS = {
    "noun": words(
        "居民 计划 报告 问题 城市 项目 决定 变化 家庭 系统 小组 原因 服务 街道 办公室 成员 房屋 邻居 协议 "
        "规则 预算 警告 评估 建议 承诺 错误 秘密 传言 延误 短缺 人群 桥梁 花园 夜晚 一代人 传统 角落 梯子 "
        "窗户 寂静 影子 河流 森林 暴雨 冬天 机器 发动机 信号 网络 灯笼 篮子 水壶 毯子 镜子 铁锚 木桶 蜡烛 "
        "羽毛 锤子 缎带 马鞍 雨伞 阀门 马车 院子 砖墙 地窖 抽屉 信封 篱笆"
    ),
    "verb": words(
        "宣布 改变 支持 启动 报道 讨论 跟进 欢迎 拒绝 考虑 准备 检查 推迟 质疑 研究 维护 替换 认可 解释 "
        "接受 批评 介绍 承诺 描述 期待 完成 改善 保护 修理 申请 暂停 改造 揭开 权衡 见证 借用 交付 担心 "
        "看守 忽略 加入 标注 注意 组织 赞扬 营救"
    ),
    "adjective": words(
        "新的 本地的 大型的 小型的 公共的 古老的 早期的 漫长的 重要的 最近的 私人的 常见的 安静的 困难的 "
        "全国的 严重的 有力的 谨慎的 熟悉的 意外的 狭窄的 拥挤的 朴素的 雄心勃勃的 脆弱的 遥远的 温和的 "
        "奇怪的 陡峭的 罕见的 生动的 疲倦的"
    ),
    "adverb": words("迅速 悄悄 终于 很少 公开 仔细 突然 广泛 逐步 短暂 勉强 多次 共同 热情 几乎 明显 缓慢 再次"),
    "role": words("当地居民 分析人士 志愿者 前官员 组织者 历史学者 目击者 工程师 店主 顾问 技术员 退休职工"),
    "surname": words(
        "王 李 张 刘 陈 杨 赵 黄 周 吴 徐 孙 胡 朱 高 林 何 郭 马 罗 梁 宋 郑 谢 韩 唐 冯 于 董 萧 程 曹 袁 "
        "邓 许 傅 沈 曾 彭 吕"
    ),
    "given": words(
        "明 华 建 文 志 国 丽 芳 敏 静 强 磊 洋 艳 勇 军 杰 娟 涛 超 平 刚 桂 英 玉 兰 春 梅 海 燕 雪 云 山 石 松 竹"
    ),
    "place_head": words("青 白 云 石 东 南 清 龙 安 平 长 新 金 玉 海 山 临 双 松 桃 柳 沙 枫 鹤 雁 星 月 霜 梧 荷"),
    "place_middle": words("河 山 州 江 湖 泉 林 溪 阳 门 桥 原 塘 岭 湾 坪 关 渡 田 屏"),
    "place_tail": words("市 县 镇 区 村"),
    "day": words("周一 周二 周三 周四 周五 周六 周日"),
    "number": words("12 20 30 45 60 75 90 120 150 180 200 240 300 350 400 480 600 750 900 1200 1800 2500 4000"),
}

GRAMMAR = {
    "headline": (
        "{place}{noun}{verb}{adjective}{noun}",
        "{noun}为何{verb}{noun}？{place}给出答案",
        "{place}：{number}个{noun}{adverb}{verb}{noun}",
        "{person}：{noun}不能没有{noun}",
        "{adjective}{noun}之后，{place}{verb}{noun}",
        "从{noun}到{noun}，{place}走过的路",
        "{noun}与{noun}：一个{adjective}{noun}",
        "{person}{adverb}{verb}{place}{noun}",
        "“{adjective}{noun}”来了，{noun}怎么办",
        "{place}{noun}{verb}在即，{noun}仍待{verb}",
    ),
    "sentence": (
        "{subject}{when}{verb}了{object}。",
        "{when}，{subject}{adverb}{verb}了{object}。",
        "{person}表示，{subject}已经{verb}{object}。",
        "“{quotation}，”{place}的{role}{person}说。",
        "{link}，{subject}{verb}了{object}，{subject}也{verb}了{object}。",
        "据{person}介绍，{place}的{noun}{when}被{adverb}{verb}。",
        "{when}，约有{number}个{noun}在{place}被{verb}。",
        "直到{day}，{subject}才{verb}{object}。",
        "在{subject}{verb}{object}之前，{place}没有人{verb}过{noun}。",
        "虽然{noun}和{noun}尚未{verb}，{subject}仍然{verb}了{object}。",
        "对{noun}来说，{object}是{adjective}{noun}；对{noun}来说，它只是{noun}。",
        "{place}的{noun}价格是{object}的{number}倍。",
        "当{subject}{verb}{object}时，{subject}正在{verb}{noun}。",
        "现场有{number}个{noun}、{number}个{noun}和一个{adjective}{noun}。",
        "{noun}仍是{adjective}，但它的{noun}{when}已被{verb}。",
        "批评者指出了{object}以及{object}。",
        "{role}{person}认为，{noun}的{verb}离不开{noun}，也离不开{adjective}{noun}。",
        "记者在{place}看到，{subject}正在{verb}{object}。",
    ),
    "subject": (
        "{noun}",
        "{adjective}{noun}",
        "{person}",
        "{place}的{noun}",
        "{noun}和{noun}",
        "{number}个{noun}",
        "{noun}的{noun}",
    ),
    "object": (
        "{noun}",
        "{adjective}{noun}",
        "{place}的{noun}",
        "{noun}的{noun}",
        "每一个{noun}",
        "面向{noun}的{noun}",
    ),
    "quotation": (
        "我们{verb}了{noun}，却没有人{verb}我们",
        "这样的{noun}从来不是{adjective}",
        "{noun}需要的是{noun}，而不是{noun}",
        "{adjective}{noun}已经过去了",
        "这里的人都记得{place}的{noun}",
        "如果{noun}被{verb}，{noun}就会离开",
    ),
    "when": ("{day}", "上周", "今年", "在{place}", "日前", "{day}晚间", "首次", "近日", "在{noun}之后"),
    "link": ("与此同时", "最终", "因此", "相比之下", "即便如此", "另一方面", "在{place}"),
    "person": ("{surname}{given}{given}", "{surname}{given}"),
    "place": ("{place_head}{place_middle}{place_tail}",),
    "subheading": ("{adjective}{noun}", "{noun}与{noun}", "{place}{verb}了什么", "{noun}的{noun}"),
    "item": ("{place}的{adjective}{noun}", "{person}{verb}的{noun}", "每个{noun}对应{number}个{noun}"),
    "column": ("{noun}",),
    "caption": ("{subject}{when}在{place}", "{person}与{adjective}{noun}", "{place}附近的{noun}"),
    "reference": ("{person}此前曾撰文：", "本报早前报道：", "背景见", "另见"),
    "source": ("完整的{noun}发布于", "有关数据最早见于", "关于{noun}的更多内容见"),
    "comment": ("看了两遍。", "真的吗？", "写得很公道，谢谢。", "{place}可不是这样！", "支持{noun}。"),
    "biography": ("常驻{place}，长期关注{noun}、{noun}和{noun}。",),
}

PAGES = {
    "about": (
        "灯笼日报是一份只为爬虫而办的报纸，全部文章由一套小小的语法写成。",
        "编辑部从不打烊，因为里面没有人。每个页面都在您访问时才计算出来。",
    ),
    "contact": ("来信请寄下列地址。我们按照没有丢失的顺序回信。",),
    "privacy": (
        "我们不保存您的任何信息。服务器只在内存里记下请求，停止后即清空。",
        "页面上有弹窗，只因为每个网站都有弹窗。",
    ),
    "imprint": ("灯笼日报，本机市回环路一号。内容负责人：一粒种子。",),
}

CHINESE = Language(
    code="zh",
    site_name="灯笼日报",
    topics=TOPICS,
    formats=named("深度=shendu, 访谈=fangtan, 评论=pinglun, 数据=shuju, 周末=zhoumo-kan, 长文=changwen"),
    words=WORDS,
    grammar=GRAMMAR,
    labels=CHINESE_LABELS,
    months=tuple(f"{month}月" for month in range(1, 13)),
    dates={
        "classic": "{year}年{number:02}月{day:02}日 {clock}",
        "boxes": "{year}-{number:02}-{day:02} {clock}:00",
        "modern": "{year}/{number:02}/{day:02}",
    },
    addresses={
        "classic": "/a/{year}{number:02}{day:02}/{identifier:06}{part}.shtml",
        "boxes": "/{section}/{year}/{number:02}/{day:02}/{identifier}{part}.html",
        "modern": "/{section}/{child}/detail-{identifier}{part}.html",
    },
    next_list_page="index_{page}.shtml",
    separator="",
    pages=PAGES,
)
