BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0004');
CREATE TABLE belongs (
	person TEXT NOT NULL, 
	name TEXT NOT NULL, 
	PRIMARY KEY (person, name)
);
INSERT INTO "belongs" VALUES('ada','German');
CREATE TABLE content (
	study TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (study, unit)
);
INSERT INTO "content" VALUES('recorded','u043','{"text": "made-up text 43 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u074','{"text": "made-up text 74 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u105','{"text": "made-up text 105 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u003','{"text": "made-up text 3 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u084','{"text": "made-up text 84 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u117','{"text": "made-up text 117 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u006','{"text": "made-up text 6 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u023','{"text": "made-up text 23 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u149','{"text": "made-up text 149 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u100','{"text": "made-up text 100 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u277','{"text": "made-up text 277 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u087','{"text": "made-up text 87 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u134','{"text": "made-up text 134 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u242','{"text": "made-up text 242 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u098','{"text": "made-up text 98 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u038','{"text": "made-up text 38 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u160','{"text": "made-up text 160 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u255','{"text": "made-up text 255 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u001','{"text": "made-up text 1 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u265','{"text": "made-up text 265 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u208','{"text": "made-up text 208 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u086','{"text": "made-up text 86 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u257','{"text": "made-up text 257 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u264','{"text": "made-up text 264 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u068','{"text": "made-up text 68 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u148','{"text": "made-up text 148 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u151','{"text": "made-up text 151 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u287','{"text": "made-up text 287 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u119','{"text": "made-up text 119 <b>''quoted''</b>"}');
INSERT INTO "content" VALUES('recorded','u073','{"text": "made-up text 73 <b>''quoted''</b>"}');
CREATE TABLE entry (
	study TEXT NOT NULL, 
	serial INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	at TEXT NOT NULL, 
	body TEXT NOT NULL, 
	seal TEXT, 
	hash TEXT NOT NULL, 
	PRIMARY KEY (study, serial), 
	CONSTRAINT entry_key UNIQUE (study, "key")
);
INSERT INTO "entry" VALUES('recorded',1,'population','population','2026-11-02T09:00:00.000000+00:00','{"fingerprint":"7f6fdecdce816b94501f622dfeb588013a02da21c603adafb6afdad727914376","population":{"classifiers":[{"name":"classifier","predicted":null,"question":"positive","score":"score","score_range":[0.0,1.0],"threshold":0.5,"value":null}],"guide":null,"id":"id","risk":null,"slices":[],"source":"memory","weight":null},"profile":{"claims":null,"columns":[["id","text"],["score","float64"],["text","text"]],"count":[3,4,2,1,1,2,2,2,1,2,1,1,3,1,1,2,1,1,1,1,1,1,1,2,1,1,2,1,1,1,2,2,1,1,1,1,2,2,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,2,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,2,1,1,1,2,1,2,1,1,1,2,1,1,2,1,2,1,2,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,2,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"files":[],"guide_bin":[0,1049,1154,1217,1224,1257,1263,1276,1283,1296,1302,1322,1335,1342,1348,1355,1394,1407,1414,1440,1441,1442,1445,1447,1448,1452,1456,1457,1458,1459,1461,1468,1471,1472,1477,1478,1484,1492,1496,1497,1504,1506,1508,1511,1524,1525,1532,1534,1536,1539,1544,1550,1553,1561,1567,1574,1589,1590,1592,1593,1596,1600,1601,1604,1606,1613,1620,1624,1627,1635,1636,1640,1652,1654,1656,1659,1665,1671,1678,1680,1681,1684,1688,1689,1690,1691,1694,1695,1696,1697,1698,1699,1700,1701,1702,1703,1706,1708,1709,1715,1716,1718,1719,1722,1724,1725,1728,1730,1736,1747,1751,1753,1756,1759,1760,1761,1763,1766,1769,1771,1773,1776,1778,1787,1791,1794,1801,1802,1803,1805,1806,1807,1808,1809,1811,1813,1815,1819,1822,1827,1828,1830,1832,1834,1837,1838,1841,1842,1848,1849,1851,1855,1857,1858,1859,1860,1863,1869,1871,1872,1876,1877,1891,1902,1903,1916,1924,1925,1926,1929,1932,1944,1951,1953,1962,1965,1970,1972,1978,1980,1982,1994,2006,2007,2025,2034,2039,2044,2046,2054,2061,2068,2074,2086,2089,2090,2092,2094,2096,2100,2101,2110,2114,2124,2131,2136,2140,2141,2146,2153,2157,2163,2169,2180,2188,2189,2200,2207,2213,2218,2219,2233,2240,2243,2257,2259,2260,2276,2277,2282,2283,2285,2294,2303,2304,2306,2309,2328,2333,2340,2359,2369,2372,2385,2389,2391,2397,2400,2419,2421,2425,2459,2484,2487,2490,2515,2544,2550,2596],"guided":true,"largest_id":"u299","pattern":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"slice":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"slice_values":[[]],"smallest_id":"u000","weight":null}}',NULL,'2881341bc5bb478b535dfdaf4eb0a4019cb5fc86cdad7c55ef4687ead11b5fb1');
INSERT INTO "entry" VALUES('recorded',2,'study','study','2026-11-02T09:00:01.000000+00:00','{"goals":[{"classifier":null,"kind":"+-","level":0.95,"metric":"precision","value":0.2},{"classifier":null,"kind":">=","level":0.95,"metric":"recall","value":0.4}],"rule":"first","salt":"e7a74fd2994076d9e5848acef0b707b2"}',NULL,'fc9336e9e0732d12656bf70e58814b302f9f63927285ead0d7edcf6cc449858b');
INSERT INTO "entry" VALUES('recorded',3,'plan','plan:1','2026-11-02T09:00:02.000000+00:00','{"hash":"792f3754361cf2a1a2ae5448542a303977a1bfe96eb0c8b46c356547663dc476","plan":{"budget":30,"change":"first","design":{"N":[18,19,20,55,51,41,35,32,29],"band":[3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,4,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,5,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,6,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,7,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,8,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2],"edition":4,"mass":[10.429119185517012,10.799909786803859,10.485195757285087,11.395959727499894,11.371549880004663,11.431264410329296,11.444284174726326,11.477712829152564,11.165004248681218],"name":"bands"},"goals":[{"classifier":null,"kind":"+-","level":0.95,"metric":"precision","value":0.2},{"classifier":null,"kind":">=","level":0.95,"metric":"recall","value":0.4}],"grow_to":null,"interval":"placed","number":1,"promise":"one look, when all labels are in: the interval holds at its level","region":1485,"salt":"e7a74fd2994076d9e5848acef0b707b2","share":1.0,"take":[3,3,3,3,3,4,4,4,3]}}','133ed857b863dc8c7235c0be50e4fd1a62b3a339c28a856e17d152e8f2f76614','d9e9c241ab847f484e17dea4c374bdd6781067b8570ac861de4c9fb6a10ab6b7');
INSERT INTO "entry" VALUES('recorded',4,'sheet','sheet:1','2026-11-02T09:00:03.000000+00:00','{"ask":"Is it?","by":null,"check_every":0,"instructions":"Read it all.","place":"workbench","show":[{"column":"text","kind":"text"}]}',NULL,'7109e10d99b911860a2940b9820d21896391dbc5084bfe580680b3f21547691c');
INSERT INTO "entry" VALUES('recorded',5,'double','double:0.3','2026-11-02T09:00:04.000000+00:00','{"share":0.3}','4c333ca36f45439d4571b6cf7ef0bf1d145acb416bb09a60146e01aa5829dbb1','a378d63ae16cdd4fdf4a2a84e1fba91b0400dd097bf8c5d55cedd37898ee4f3d');
INSERT INTO "entry" VALUES('recorded',6,'draw','draw:1','2026-11-02T09:00:05.000000+00:00','{"cut":[553188838216149,257118724665704,911749246018374,385379997386407,400007922905186,541837869246743,637463700675866,854247005290466,674951804255420],"fingerprint":"7f6fdecdce816b94501f622dfeb588013a02da21c603adafb6afdad727914376","pi":[0.125,0.11428571428571428,0.0975609756097561,0.05454545454545454,0.058823529411764705,0.10344827586206896,0.15789473684210525,0.15,0.16666666666666666,0.125,0.11428571428571428,0.0975609756097561,0.05454545454545454,0.058823529411764705,0.10344827586206896,0.15789473684210525,0.15,0.16666666666666666,0.125,0.11428571428571428,0.0975609756097561,0.05454545454545454,0.058823529411764705,0.10344827586206896,0.15789473684210525,0.15,0.16666666666666666,0.125,0.11428571428571428,0.0975609756097561],"plan":1,"plan_hash":"792f3754361cf2a1a2ae5448542a303977a1bfe96eb0c8b46c356547663dc476","units":{"band":[7,6,5,3,4,8,1,2,0,7,6,5,3,4,8,1,2,0,7,6,5,3,4,8,1,2,0,7,6,5],"guide_bin":[1962,1773,1728,1457,1596,2114,2233,2484,2169,1965,1848,1697,1442,1613,1980,2240,2419,2157,1932,1794,1694,1049,1511,1982,2243,2550,2141,1953,1838,1761],"number":[37727089214456,247243195811293,47278473416181,227845466393775,45188764408412,269202551035823,67492498366517,92713028243206,65296264477297,390470996094641,260091405461290,167870058612948,231449731160316,48325388332146,302514047487674,85905248570193,241536787109852,184353951489493,724789576188862,317659712728370,315921237080651,360345090123960,329994596760709,506051768360249,133732418753897,576399702866166,350760108901472,735351189753322,377562553136424,412736825402262],"pattern":[0,0,0,0,0,0,1,1,1,0,0,0,0,0,0,1,1,1,0,0,0,0,0,0,1,1,1,0,0,0],"scores":[[0.337],[0.1532],[0.1085],[0.0079],[0.0418],[0.4862],[0.6012],[0.8459],[0.5388],[0.3408],[0.2265],[0.0785],[0.0043],[0.0459],[0.3553],[0.6079],[0.7832],[0.5271],[0.3079],[0.1732],[0.076],[0.0001],[0.021],[0.3566],[0.611],[0.9104],[0.5116],[0.3287],[0.2165],[0.1407]],"slice":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],"unit":["u117","u074","u134","u242","u098","u023","u277","u006","u038","u160","u043","u255","u001","u265","u084","u003","u208","u105","u086","u257","u264","u068","u148","u151","u087","u149","u287","u100","u119","u073"],"weight":null}}','c6beb73a64a75af770856e0a5c46b1ddcdf16f1799bc984f3e5a4d692cbdbe84','60c84531178440596aaa2ae465235bc8c85dd1810d8dcc5b8fed5a45050d4872');
INSERT INTO "entry" VALUES('recorded',7,'batch','batch:1','2026-11-02T09:00:06.000000+00:00','{"number":1,"plan":1,"units":["u160","u001","u287","u148","u119","u151","u003","u023","u098","u257","u087","u100","u086","u242","u105","u264","u134","u073","u208","u117","u255","u006","u149","u043","u277","u038","u084","u074","u068","u265"]}',NULL,'ae77ef8a8e8dc2a19b78ca66f55cbe29fc733281c89ca0ddd09f92fbe56d5cbe');
INSERT INTO "entry" VALUES('recorded',8,'answer','answer:b7a3a082bfcbf7d94351ef5002f9087070f5fd20ee717c05c6b001909d57af14','2026-11-02T09:00:07.000000+00:00','{"answer":"yes","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u043"}',NULL,'23e0ee746abb6bc6e916c6177f91946735bd61b92184b7b64883fad0b4d27a7c');
INSERT INTO "entry" VALUES('recorded',9,'answer','answer:358cf8e7e6354a728b4848d648e49e23daae00ec609cc33e21868770e11422e0','2026-11-02T09:00:08.000000+00:00','{"answer":"no","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u074"}',NULL,'edd269ba56737c090b49ef401738594a2c04a89c56e752d60a625c38be47cb7c');
INSERT INTO "entry" VALUES('recorded',10,'answer','answer:7503f0ebf621063ce511ba5cfb73383c2b71ea6502dceff3a1065bd7b89f91ce','2026-11-02T09:00:09.000000+00:00','{"answer":"no","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u105"}',NULL,'09190fbb0817d83f600768c007c3cc29ec7b05afab1d210f589709bec31164cb');
INSERT INTO "entry" VALUES('recorded',11,'answer','answer:8057dd94ee9abd309762af7b490ae6e79e9345980228ec71b7a8adebeb82aa72','2026-11-02T09:00:10.000000+00:00','{"answer":"yes","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u003"}',NULL,'758599f560f740e2dbecb077c1e41f5d2df178dcbf793c9cf0a3fce201632949');
INSERT INTO "entry" VALUES('recorded',12,'answer','answer:caec083e51b2622ed9b7ab9e33c7d42d16e20b9bd5c5aa844137407916b2609a','2026-11-02T09:00:11.000000+00:00','{"answer":"no","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u084"}',NULL,'e7d64c961fbac9fe553843ce32a41b0d8a47bde067d94d008d17a700b8a01c06');
INSERT INTO "entry" VALUES('recorded',13,'answer','answer:ae4c987b4c40f48c47e9be28526615421386a6fef7abee1ad46e2e00fd9c1040','2026-11-02T09:00:12.000000+00:00','{"answer":"no","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u117"}',NULL,'dd088aba38b647b7279660c71b66e6fc35eed957fb2fd0ac2561290b89b46e68');
INSERT INTO "entry" VALUES('recorded',14,'answer','answer:0c4b6261382e693e4febaf8cbd9b6e2c42a0c6d23a58c5dcc9efe667493fb3c2','2026-11-02T09:00:13.000000+00:00','{"answer":"yes","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u006"}',NULL,'e2836d45fe283c63e62a3c92a9c1973b1cc65d7c3d3b6cf864d4363343f36f5d');
INSERT INTO "entry" VALUES('recorded',15,'answer','answer:03f7a46d7a365d98d2f3f87b3c742327c312ce1813c980336418f8340f49c40f','2026-11-02T09:00:14.000000+00:00','{"answer":"yes","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u023"}',NULL,'1d7515afd476b43a765843f8c615a76751bd31c6e578cb7ead8b24d4d674d132');
INSERT INTO "entry" VALUES('recorded',16,'answer','answer:e5a0bab4a276641a81e457924929b4a637b7873a503b3cd8e666416deb297a93','2026-11-02T09:00:15.000000+00:00','{"answer":"yes","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u149"}',NULL,'01c1473f054568bdfab5dea86cfd3bfe0e04a0ba3af1cfaafc088a3dc014b3fb');
INSERT INTO "entry" VALUES('recorded',17,'answer','answer:da48fdd99040fd777fcabc99a0b21a69daf6f6c60a9ba83082ca107607a676a0','2026-11-02T09:00:16.000000+00:00','{"answer":"no","at":"2026-11-02T09:10:00","gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u100"}',NULL,'1abb5faffc6633c2d3d3ac54dc7b98c060218e66b71ebc326bfcb50f9b0fe766');
INSERT INTO "entry" VALUES('recorded',18,'correction','answer:24adac4df53b50858431e6f0af0f46673352caaa74fd9fea7b8b33f5e9812ad3:corrects:answer:caec083e51b2622ed9b7ab9e33c7d42d16e20b9bd5c5aa844137407916b2609a:18','2026-11-02T09:00:17.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u084"}',NULL,'213f31cf84925369bf7774eba5823c702970efe1736e62ea73799130d4b5f647');
INSERT INTO "entry" VALUES('recorded',19,'answer','answer:3381af75ca928bb91460b735f9e32475cfc60daa73f6d1c7b55e23604d9c4cd5','2026-11-02T09:00:18.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u074"}',NULL,'c7b7b8e538a9771df82438b03c69629a89fa5e8dc2a38ef7c0b3ea41c994cc76');
INSERT INTO "entry" VALUES('recorded',20,'answer','answer:c4064c1d728a17f965f3758245d435fb1cf1d9f72c37d6f3bf430a9338d5fc65','2026-11-02T09:00:19.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u100"}',NULL,'a45040c73ac62ae42653c5095c8e4366baae844385a191f4ab289908c03dfc5f');
INSERT INTO "entry" VALUES('recorded',21,'answer','answer:d2e20cafe093dfbfca1921be6eb23c880315ff8f75b7bb8310195a148aebd6da','2026-11-02T09:00:20.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u134"}',NULL,'7fd0536bf9cfd09a2c2d82729e6d57e20b3995a6e46056443bebab4a60ff1137');
INSERT INTO "entry" VALUES('recorded',22,'answer','answer:a70ff7e57c6af24b238404a06fa9a9e3a99041ddff8a11d73a11d9e1cd81b1ef','2026-11-02T09:00:21.000000+00:00','{"answer":"cannot_tell","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u287"}',NULL,'fb35f912adf9fbf441118505516387b3a9486d89fd24a3e3fb8f7bda7e56d731');
INSERT INTO "entry" VALUES('recorded',23,'answer','answer:83bea0b185b4be0c5f42769446be8d4ba5f1fd1bb9875f0da2359cc8f0fa4e93','2026-11-02T09:00:22.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u119"}',NULL,'a42e0aab6f408d38f3ece226e8da22ce38671cdbf84b99d5074a051de914c2d6');
INSERT INTO "entry" VALUES('recorded',24,'answer','answer:49e000774bc704dd6921037965207caef7ebf8e2ca5dd64b3d9bae256285aaab','2026-11-02T09:00:23.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u098"}',NULL,'9c43f9374569bd951a08db0ab376ed7d4ddfaf28838e31128cfd072d87f40f4e');
INSERT INTO "entry" VALUES('recorded',25,'answer','answer:c3e2d4d1eed9c4790fa1e247468c7e153104f7967ae141c7f2aa830b24f0e5d9','2026-11-02T09:00:24.000000+00:00','{"answer":"cannot_tell","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u257"}',NULL,'d57264d4e5d6fdecfa798e702878c244094669a5541533d608831ff18615b3d9');
INSERT INTO "entry" VALUES('recorded',26,'answer','answer:6935a55d6fc7749ce565c5ab05719d4f3e170f7845c76732631a6c9d02879990','2026-11-02T09:00:25.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u264"}',NULL,'60ac7c4bed00884d81385f326e2af5d9fe860aaaab4a9cd9c96ae9f63b51de9d');
INSERT INTO "entry" VALUES('recorded',27,'answer','answer:10aa473ec20d050b419d9504e320bd0045135dc46f8d12a497217fc28ac54f35','2026-11-02T09:00:26.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u242"}',NULL,'daf777cc18e8af6a3ada9ff72711df47c5bb914d51a7537477cd2c460cd125a1');
INSERT INTO "entry" VALUES('recorded',28,'answer','answer:3d4f9e111008ac6ad65d9910915c78bddef5b805faf88194e37e9a44963eec1e','2026-11-02T09:00:27.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u255"}',NULL,'c1cb3199f608059c85743a5802619b6136bbdaa1e24b60089c411c6d73a45bd9');
INSERT INTO "entry" VALUES('recorded',29,'answer','answer:1d8d6138c73832cb05175df118d5ccff0902e63b793fce56f2efd2fd29985aa5','2026-11-02T09:00:28.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u086"}',NULL,'04dcf3133ef37d44d22f0776cc3d02a507c8499fed6d1914b64f7ccc67e8eeac');
INSERT INTO "entry" VALUES('recorded',30,'answer','answer:8d247513ba6cc762b062f5eef7a25560870c35e01e50372d4f02803af5e2a346','2026-11-02T09:00:29.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u151"}',NULL,'5774ab8bc198f126ff71f665c92fe16ec1542724648084934bf2780882022ea3');
INSERT INTO "entry" VALUES('recorded',31,'answer','answer:4239181cdba12229a9aedca922f241a64e8c890677b5ce8c2dd3f0dc51ee4035','2026-11-02T09:00:30.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u038"}',NULL,'ced2d174d9d8078866f6227f4db559a68686a727937e0fd83ef91d560acd75fa');
INSERT INTO "entry" VALUES('recorded',32,'answer','answer:9458bf202ad332f3eab5688c89f7f9de4ff353f9b1a1fba3e60d0e00e5d69fd7','2026-11-02T09:00:31.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u160"}',NULL,'e9cf7c865940fa6c67e65edb976b7f7de765400fc3fe2ce60307564c25ea50bc');
INSERT INTO "entry" VALUES('recorded',33,'answer','answer:8c0787f6a9c0bc5112891be0c1f7fb1f3d67ff4e1598c0be155261db9437f086','2026-11-02T09:00:32.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u001"}',NULL,'f9f7137a14dd1160bd6f32961ee4388c6e427154a8309a6054ade96c4f1183f1');
INSERT INTO "entry" VALUES('recorded',34,'answer','answer:dc33788d40b4227ce8787e1300cdf3ad5d43414bc1297be4d016eba08351402f','2026-11-02T09:00:33.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u265"}',NULL,'12cbc00da6deeeef0e36ad2819b3a3c2cdd79fbde1f8a1910074652ed71beaf1');
INSERT INTO "entry" VALUES('recorded',35,'answer','answer:4a53ec0331fca4f227c9673265a55688677b99e1bb19a438d5a46543d1730bf5','2026-11-02T09:00:34.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u208"}',NULL,'ac4eb5e89db8b0dc1df21498df9ed22bf0fd067b0c0dc032ff292576df7adbf0');
INSERT INTO "entry" VALUES('recorded',36,'answer','answer:60d460accbe30ea2dd5d6c31df48bf3bb36a10421d804220677db72ac48cca62','2026-11-02T09:00:35.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u105"}',NULL,'89ab2b6df4ee130d7f34672de28745d5ac9f6e7a13c82790c5e7ffe618b2d708');
INSERT INTO "entry" VALUES('recorded',37,'answer','answer:872d0e758047dfe1442153100b30827dd13d3d11fb992d241a10d7cd241c02c6','2026-11-02T09:00:36.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u068"}',NULL,'33f8918e40ae9d80f1d8d97db59bdd7d7b6df6fd4b387fec296c0c321a3e5a69');
INSERT INTO "entry" VALUES('recorded',38,'answer','answer:6830f541140efffe36d8d583671bc0e28f125f887250635252b0e8009c7251fe','2026-11-02T09:00:37.000000+00:00','{"answer":"cannot_tell","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u277"}',NULL,'693f645353b8cc6e0b7ade21a2ffff7a6c3a4ad3e74a4e2fad73be8683cc6fba');
INSERT INTO "entry" VALUES('recorded',39,'answer','answer:126a14317e8cfab8aeeea91f7ec7dfb6b9d21d46a07b1ca92f4d4655bc6f1a6f','2026-11-02T09:00:38.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u073"}',NULL,'1354325158f18373598feb41eba6f66c6652e789023be96fefb5ae61418f97e3');
INSERT INTO "entry" VALUES('recorded',40,'answer','answer:faf025b14db620488e24ef72f0352297bfb22b1d464a0f64139fcedf4066833b','2026-11-02T09:00:39.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u043"}',NULL,'394aa7dc79423817f1a890deab78fc1fd2327ef272da79cafddf38e94d3fb3a1');
INSERT INTO "entry" VALUES('recorded',41,'answer','answer:1e1f6f947e4f7628eb79bd2ee6f41e927f54255f16baf92f158f286cf26c8cc6','2026-11-02T09:00:40.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u003"}',NULL,'2c67c5d98648966752d5428acf4c8882b47edf4f0f0976fc86613f6d793d0e65');
INSERT INTO "entry" VALUES('recorded',42,'answer','answer:21708ae791ee91292489687574bb7df3b51013924edfd405dba2f97dbbabfbac','2026-11-02T09:00:41.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"bob","question":"positive","row":null,"unit":"u148"}',NULL,'d65173fe7b7cbba6c2e799529b6b8982bc799dfefcadce83ee4924522306eb72');
INSERT INTO "entry" VALUES('recorded',43,'answer','answer:1f8513a2557506d43817dd4ff54f59043b06e719243d7a13f20d822299445763','2026-11-02T09:00:42.000000+00:00','{"answer":"cannot_tell","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u277"}',NULL,'367fcab743c54b6064ed5952f78b42277973e5732f02740eea43987b3839a6ac');
INSERT INTO "entry" VALUES('recorded',44,'answer','answer:90d48a052bc2d7f7510d95ed321ce93f8d56c0b8f046512ec96d1273bf3ad4d2','2026-11-02T09:00:43.000000+00:00','{"answer":"cannot_tell","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u087"}',NULL,'7ad22dfc85eb5f12ad164bb4e331406e935cc0e71e2423df1f628e35852469d2');
INSERT INTO "entry" VALUES('recorded',45,'answer','answer:e41aef7ca0c9f40c6abadc40052d65e946fce0b6a4d2f50757cf51dbfa34bde3','2026-11-02T09:00:44.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u255"}',NULL,'3e9ff99d86f3063ad5c2c59d39364319af75471a6cfa995488bb9e1f4a5cf267');
INSERT INTO "entry" VALUES('recorded',46,'answer','answer:e35a6d5aa1702b0bbdb4bd48b5a11bd1b4ca3c8e97a1418c4b0624cce4172a17','2026-11-02T09:00:45.000000+00:00','{"answer":"cannot_tell","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u287"}',NULL,'a6a35c683c25cd69c90d31acf9297fac051ac1ced4d28d66e8b6e1598a72dcea');
INSERT INTO "entry" VALUES('recorded',47,'answer','answer:b00f3a2e71386f60277e8dd86598cfc717759911bea41c285b9dd0bf576e6f69','2026-11-02T09:00:46.000000+00:00','{"answer":"cannot_tell","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u257"}',NULL,'fcb8d3b9c1e0be78eac41c0889472ac9f4aa9badbfbdc47c99917b2af7c01b02');
INSERT INTO "entry" VALUES('recorded',48,'answer','answer:cdc74eb2f0eaaafa65c0475759f03bd4bb6ae7c65a49589fa7233fce1edcf8f0','2026-11-02T09:00:47.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u098"}',NULL,'052f724c55e9fd9ff4b4b1059426b05cee270489581ddd1c79c95edddbd9ab16');
INSERT INTO "entry" VALUES('recorded',49,'answer','answer:2f0dc6ca3c784ed3e4a12937ac1f3b3e89d02b6ddb63f26452329f1abf423c8e','2026-11-02T09:00:48.000000+00:00','{"answer":"yes","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u038"}',NULL,'36c4c469562114614860fbc5d223be562159e66b05c06c506e6ef896d8b6b9d7');
INSERT INTO "entry" VALUES('recorded',50,'answer','answer:7c1c71f53c973a1f7b23fc3e40bbc294f479201dd45edcdcd3385f8b0a9bc2c9','2026-11-02T09:00:49.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u264"}',NULL,'688be25d4c0dd7b8c6add89591ebb1e8f85caf485ffee19450d72d99cefed312');
INSERT INTO "entry" VALUES('recorded',51,'answer','answer:2cf3fd8a5f7a695092ceb03572ef178d29260bb6a94a0db89555dd3735f4b68a','2026-11-02T09:00:50.000000+00:00','{"answer":"no","at":null,"gold":false,"labeler":"ada","question":"positive","row":null,"unit":"u086"}',NULL,'4a2e840881adaa84250bb8c560ebd49c745938b4f1772adadd929ae078fafaaf');
INSERT INTO "entry" VALUES('recorded',52,'look','look:0bacf4b50762df16de5ca30af2900a5eb24e91c1a87680fc6ea225e051f69d59','2026-11-02T09:00:51.000000+00:00','{"certified":true,"estimates":[{"at_least":0.43935042663097823,"at_most":0.9824561403518771,"classifier":"classifier","design_effect":1.0416356151574542,"gold":0,"half_width":0.4617676976278685,"high":0.9824561403518771,"interval":"placed","labels":6,"level":0.95,"low":0.3803375655300262,"metric":"precision","n_eff":5.760171707543849,"planned":true,"standard_error":0.20500564672610863,"strict_high":0.9824561403518771,"strict_low":0.3803375655300262,"told_high":null,"told_low":null,"told_value":null,"value":0.8421052631578947,"why":null,"worst_high":0.9824561403518771,"worst_low":0.19575879172608823},{"at_least":0.26445746293593464,"at_most":0.6943684951596814,"classifier":"classifier","design_effect":0.9773417135962296,"gold":0,"half_width":0.2637227072289047,"high":0.745214863661626,"interval":"placed","labels":26,"level":0.95,"low":0.22276377925758184,"metric":"recall","n_eff":26.602773255559022,"planned":true,"standard_error":0.10187931237754624,"strict_high":0.745214863661626,"strict_low":0.22276377925758184,"told_high":null,"told_low":null,"told_value":null,"value":0.4864864864864865,"why":null,"worst_high":0.779245887139151,"worst_low":0.12108908819884268},{"at_least":0.3372311923569296,"at_most":0.7773393912326365,"classifier":"classifier","design_effect":0.9374815421612169,"gold":0,"half_width":0.330885495700696,"high":0.8045652710666302,"interval":"placed","labels":26,"level":0.95,"low":0.28581685975968946,"metric":"f1","n_eff":27.733879367972484,"planned":false,"standard_error":0.12286410770779212,"strict_high":0.8045652710666302,"strict_low":0.28581685975968946,"told_high":null,"told_low":null,"told_value":null,"value":0.6167023554603854,"why":null,"worst_high":0.8396452559720041,"worst_low":0.15249505344396552},{"at_least":0.6250122396438471,"at_most":0.902613145726618,"classifier":"classifier","design_effect":1.1084885854376083,"gold":0,"half_width":0.221899960544776,"high":0.9181683196243183,"interval":"placed","labels":26,"level":0.95,"low":0.5792111505663351,"metric":"accuracy","n_eff":23.45536105790006,"planned":false,"standard_error":0.06760597748241973,"strict_high":0.9181683196243183,"strict_low":0.5792111505663351,"told_high":null,"told_low":null,"told_value":null,"value":0.8011111111111111,"why":null,"worst_high":0.9333716717323595,"worst_low":0.5297830676849524},{"at_least":0.20536360128601885,"at_most":0.49030443611331126,"classifier":"classifier","design_effect":1.1025275490040678,"gold":0,"half_width":0.2060145890768525,"high":0.5349034779657413,"interval":"placed","labels":26,"level":0.95,"low":0.18571077728598612,"metric":"prevalence","n_eff":23.58217717415429,"planned":false,"standard_error":0.06760597748241973,"strict_high":0.5349034779657413,"strict_low":0.18571077728598612,"told_high":null,"told_low":null,"told_value":null,"value":0.32888888888888884,"why":null,"worst_high":0.5467510765295536,"worst_low":0.1341238900962516},{"at_least":0.8565456511303933,"at_most":1.0,"classifier":"classifier","design_effect":0.8730570393916737,"gold":0,"half_width":0.11215676845235867,"high":1.0,"interval":"placed","labels":26,"level":0.95,"low":0.8431412447926745,"metric":"specificity","n_eff":29.78041390985887,"planned":false,"standard_error":0.055567221399573104,"strict_high":1.0,"strict_low":0.8431412447926745,"told_high":null,"told_low":null,"told_value":null,"value":0.9552980132450332,"why":null,"worst_high":1.0,"worst_low":0.7938076155755969},{"at_least":0.5956887642216705,"at_most":0.9112079516309994,"classifier":"classifier","design_effect":1.0972297522859522,"gold":0,"half_width":0.2516278685455623,"high":0.9311836522250766,"interval":"placed","labels":20,"level":0.95,"low":0.539867330357044,"metric":"negative_predictive_value","n_eff":18.227723007266523,"planned":false,"standard_error":0.06821903310429703,"strict_high":0.9311836522250766,"strict_low":0.539867330357044,"told_high":null,"told_low":null,"told_value":null,"value":0.7914951989026063,"why":null,"worst_high":null,"worst_low":null},{"at_least":0.0,"at_most":0.14345434886960673,"classifier":"classifier","design_effect":0.8730570393916737,"gold":0,"half_width":0.1121567684523585,"high":0.1568587552073254,"interval":"placed","labels":26,"level":0.95,"low":0.0,"metric":"false_positive_rate","n_eff":29.78041390985887,"planned":false,"standard_error":0.055567221399573104,"strict_high":0.1568587552073254,"strict_low":0.0,"told_high":null,"told_low":null,"told_value":null,"value":0.04470198675496689,"why":null,"worst_high":0.20619238442440307,"worst_low":0.0},{"at_least":0.08879204836900062,"at_most":0.40431123577832945,"classifier":"classifier","design_effect":1.0972297522859522,"gold":0,"half_width":0.2516278685455623,"high":0.46013266964295596,"interval":"placed","labels":20,"level":0.95,"low":0.0688163477749234,"metric":"false_omission_rate","n_eff":18.227723007266523,"planned":false,"standard_error":0.06821903310429703,"strict_high":0.46013266964295596,"strict_low":0.0688163477749234,"told_high":null,"told_low":null,"told_value":null,"value":0.2085048010973937,"why":null,"worst_high":null,"worst_low":null},{"at_least":0.7231924220494268,"at_most":0.9376754216169579,"classifier":"classifier","design_effect":1.1531989660733348,"gold":0,"half_width":0.18736166461476045,"high":0.9481842931170537,"interval":"placed","labels":26,"level":0.95,"low":0.6783547644925163,"metric":"f1_negative","n_eff":22.54597928450327,"planned":false,"standard_error":0.04805360289485133,"strict_high":0.9481842931170537,"strict_low":0.6783547644925163,"told_high":null,"told_low":null,"told_value":null,"value":0.8657164291072768,"why":null,"worst_high":0.957920348802385,"worst_low":0.6509289679372993},{"at_least":0.5424320081662681,"at_most":0.856800834512484,"classifier":"classifier","design_effect":1.0036489784151925,"gold":0,"half_width":0.2422835523893031,"high":0.875828239520804,"interval":"placed","labels":26,"level":0.95,"low":0.498925839894528,"metric":"macro_f1","n_eff":25.905471493684164,"planned":false,"standard_error":0.08320354420085385,"strict_high":0.875828239520804,"strict_low":0.498925839894528,"told_high":null,"told_low":null,"told_value":null,"value":0.7412093922838311,"why":null,"worst_high":0.8985776484980174,"worst_low":0.42414438856109105},{"at_least":0.5899081718516056,"at_most":0.8986703167983465,"classifier":"classifier","design_effect":1.121850977026224,"gold":0,"half_width":0.242544170778078,"high":0.9159524196393274,"interval":"placed","labels":26,"level":0.95,"low":0.5412742963297767,"metric":"weighted_f1","n_eff":23.175983737982904,"planned":false,"standard_error":0.07512542550486091,"strict_high":0.9159524196393274,"strict_low":0.5412742963297767,"told_high":null,"told_low":null,"told_value":null,"value":0.7838184671078547,"why":null,"worst_high":0.9314952428296984,"worst_low":0.485081241870711},{"at_least":0.567694497882212,"at_most":0.8342264066621142,"classifier":"classifier","design_effect":0.9549606457541004,"gold":0,"half_width":0.1807322240099637,"high":0.8588314677287112,"interval":"placed","labels":26,"level":0.95,"low":0.5401600258557961,"metric":"balanced_accuracy","n_eff":27.226252846753354,"planned":false,"standard_error":0.07213314941125248,"strict_high":0.8588314677287112,"strict_low":0.5401600258557961,"told_high":null,"told_low":null,"told_value":null,"value":0.7208922498657598,"why":null,"worst_high":0.8792653166904766,"worst_low":0.45777840255356705},{"at_least":0.13538899576442404,"at_most":0.6684528133242285,"classifier":"classifier","design_effect":0.9549606457541004,"gold":0,"half_width":0.36146444801992733,"high":0.7176629354574223,"interval":"placed","labels":26,"level":0.95,"low":0.08032005171159234,"metric":"informedness","n_eff":27.226252846753354,"planned":false,"standard_error":0.14426629882250497,"strict_high":0.7176629354574223,"strict_low":0.08032005171159234,"told_high":null,"told_low":null,"told_value":null,"value":0.4417844997315197,"why":null,"worst_high":0.7585306333809532,"worst_low":-0.08444319489286584},{"at_least":0.15870363009940458,"at_most":0.7370818639802518,"classifier":"classifier","design_effect":0.9442458675977936,"gold":0,"half_width":0.436259049365327,"high":0.7687130938490532,"interval":"placed","labels":26,"level":0.95,"low":0.09281075998033772,"metric":"mcc","n_eff":27.535201256580805,"planned":false,"standard_error":0.17444265204894552,"strict_high":0.7687130938490532,"strict_low":0.09281075998033772,"told_high":null,"told_low":null,"told_value":null,"value":0.5290698093456647,"why":null,"worst_high":0.8074058993959317,"worst_low":-0.09100425696604642},{"at_least":0.13026754556729225,"at_most":0.7163248356365122,"classifier":"classifier","design_effect":0.9617550500519737,"gold":0,"half_width":0.43307539905325093,"high":0.7534639638540048,"interval":"placed","labels":26,"level":0.95,"low":0.06201655626661817,"metric":"kappa","n_eff":27.03391055611816,"planned":false,"standard_error":0.16169137133386302,"strict_high":0.7534639638540048,"strict_low":0.06201655626661817,"told_high":null,"told_low":null,"told_value":null,"value":0.4950919553198691,"why":null,"worst_high":0.7980325585716669,"worst_low":-0.09607113662325956},{"at_least":0.19257396697184626,"at_most":0.6308308149866161,"classifier":"classifier","design_effect":0.9574431491871768,"gold":0,"half_width":0.2929834932742337,"high":0.6674590248042284,"interval":"placed","labels":26,"level":0.95,"low":0.15283694016229887,"metric":"jaccard","n_eff":27.155659343400963,"planned":false,"standard_error":0.12841736423182756,"strict_high":0.6674590248042284,"strict_low":0.15283694016229887,"told_high":null,"told_low":null,"told_value":null,"value":0.44582043343653255,"why":null,"worst_high":0.7205590035130831,"worst_low":0.07548715884712587}],"labels":30,"plan":1}','cbc3b18bac0bada21d5b4814804133aa317b51167858ce22b8dd776d94614346','b0c9756fcd10c6430c2a604aa1db251c105066ad48a309f93b2fec2f5e57b881');
CREATE TABLE listing (
	study TEXT NOT NULL, 
	owner TEXT, 
	archived DOUBLE, 
	PRIMARY KEY (study)
);
INSERT INTO "listing" VALUES('recorded','owner',NULL);
CREATE TABLE member (
	person TEXT NOT NULL, 
	study TEXT NOT NULL, 
	role TEXT NOT NULL, 
	PRIMARY KEY (person, study)
);
INSERT INTO "member" VALUES('ada','recorded','labeler');
CREATE TABLE note (
	study TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	labeler TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	text TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	PRIMARY KEY (study, unit, labeler, kind)
);
INSERT INTO "note" VALUES('recorded','u0001','ada','comment','odd',1793610000.0);
CREATE TABLE person (
	name TEXT NOT NULL, 
	is_owner BOOLEAN NOT NULL, 
	at DOUBLE NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "person" VALUES('owner',1,1793610000.0);
INSERT INTO "person" VALUES('ada',0,1793610000.0);
CREATE TABLE route (
	study TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (study, unit)
);
INSERT INTO "route" VALUES('recorded','u0001','DE');
CREATE TABLE secret (
	hash TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	person TEXT NOT NULL, 
	note TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	until DOUBLE, 
	PRIMARY KEY (hash)
);
INSERT INTO "secret" VALUES('0000000000000000000000000000000000000000000000000000000000000000','token','ada','opens nothing',1793610000.0,1793610001.0);
CREATE TABLE seen (
	person TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	PRIMARY KEY (person)
);
INSERT INTO "seen" VALUES('ada',1793610000.0);
CREATE TABLE sheet (
	study TEXT NOT NULL, 
	body TEXT NOT NULL, 
	PRIMARY KEY (study)
);
CREATE TABLE snapshot (
	study TEXT NOT NULL, 
	part TEXT NOT NULL, 
	body BLOB NOT NULL, 
	PRIMARY KEY (study, part)
);
CREATE TABLE turn (
	study TEXT NOT NULL, 
	unit TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	labeler TEXT, 
	taken DOUBLE, 
	until DOUBLE, 
	told DOUBLE, 
	seconds DOUBLE, 
	PRIMARY KEY (study, unit, number)
);
INSERT INTO "turn" VALUES('recorded','u043',1,'label',1,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u074',1,'label',2,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u105',1,'label',3,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u074',2,'double',4,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u003',1,'label',5,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u084',1,'label',6,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u117',1,'label',7,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u006',1,'label',8,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u023',1,'label',9,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u149',1,'label',10,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u100',2,'double',11,'ada',1793610003.0,1793610603.0,1793610004.0,2.5);
INSERT INTO "turn" VALUES('recorded','u277',1,'label',12,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u100',1,'label',13,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u087',1,'label',14,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u134',1,'label',15,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u287',1,'label',16,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u119',1,'label',17,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u098',2,'double',18,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u257',1,'label',19,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u264',1,'label',20,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u242',1,'label',21,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u255',2,'double',22,'bob',1793610006.0,1793610606.0,1793610007.0,1.25);
INSERT INTO "turn" VALUES('recorded','u255',1,'label',23,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u086',1,'label',24,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u151',1,'label',25,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u038',2,'double',26,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u160',1,'label',27,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u001',1,'label',28,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u265',1,'label',29,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u287',2,'double',30,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u208',1,'label',31,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u257',2,'double',32,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u105',2,'double',33,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u068',1,'label',34,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u098',1,'label',35,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u277',2,'double',36,'bob',1793610008.0,1793610608.0,1793610009.0,1.25);
INSERT INTO "turn" VALUES('recorded','u038',1,'label',37,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u264',2,'double',38,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
INSERT INTO "turn" VALUES('recorded','u073',1,'label',39,'bob',1793610010.0,1793610610.0,1793610013.0,1.25);
INSERT INTO "turn" VALUES('recorded','u043',2,'double',40,'bob',1793610010.0,1793610610.0,1793610013.0,1.25);
INSERT INTO "turn" VALUES('recorded','u003',2,'double',41,'bob',1793610010.0,1793610610.0,1793610013.0,1.25);
INSERT INTO "turn" VALUES('recorded','u148',1,'label',42,'bob',1793610010.0,1793610610.0,1793610013.0,1.25);
INSERT INTO "turn" VALUES('recorded','u086',2,'double',43,'ada',1793610015.0,1793610615.0,1793610016.0,1.25);
CREATE INDEX turn_waiting ON turn (study, told, position);
CREATE INDEX secret_of_person ON secret (person);
CREATE INDEX entry_sealed ON entry (study, serial, hash);
CREATE INDEX entry_notable ON entry (study, serial) WHERE kind NOT IN ('answer', 'correction', 'batch');
CREATE INDEX turn_of_labeler ON turn (study, labeler, told);
CREATE INDEX turn_position ON turn (study, position);
COMMIT;
