"""More words of the concepts, by concept: what an agent reads about tests, reviews and approvals in twenty languages.

They carry what was learned from English to languages of which little was: the weights of concepts and of their pairs are shared.
"""

from __future__ import annotations

FURTHER = {
    "AGENT": "modelu modelem modelowi modelen modellen modello modelo modele modeli modelin модел* боту бота робот* агенту помічник* النموذج "
"نموذج الوكيل وكيل الذكاء للذكاء मॉडल* एआई 모델* ai는 ai가 ai에게 zeka* ajan ajana ajanın agente agenten agen copilote robô",
    "USER": "revisor* recenzent* granskare* revisore ревьюер* рецензент* المراجع للمراجع 리뷰어* peninjau majitel* właściciel* хозяин* власник* "
"dueño* dono proprietario propriétaire eigenaar beheerder ägare* sahibi* pemilik* 주인* صاحبه صاحب المالك मालिक* समीक्षक* operador "
"operatore opérateur auftraggeber* szef* šéf* chefen baas jefe jefa chefe шеф* начальник* тімлід* müdür* sếp 팀장* 상사* المدير "
"मैनेजर* बॉस",
    "TEST": "testy testów testů testu testi testerna testen prueba pruebas testes тест* اختبار اختبارات टेस्ट* 테스트* testler* pengujian",
    "FAIL": "selhal* selž* zawiod* fehlschlag* fehlgeschlagen schlägt échou* fallan fallaron fallado falle falliscono falliti fallito falhar* "
"falhou falham упал* падают провал* впал* فشل فشلت विफल* 실패* başarısız* gagal mislukt* misslyck* fallerar",
    "SUCCESS": "prošl* projd* przeszł* bestanden erfolgreich* grün réussi* pasan pasaron verdes verdi passati superati passaram прошли прошел "
"пройден* успешн* успішн* пройшл* نجح نجحت ناجحة सफल* 통과* 성공* geçti başarılı* lulus lolos berhasil geslaagd* lyckad* lyckas",
    "APPROVED": "souhlasil* schválil* schválen* zgodzi* zatwierdzi* genehmigt* zugestimmt freigegeben approuv* accordé aprobad* aprobó autorizad* "
"aprovad* approvat* autorizzat* одобрен* одобрил* согласован* согласился разрешил* разрешено дозволив* дозволен* схвал* погоджен* "
"وافق مسموح معتمد स्वीकृत मंजूर* अनुमोदित 허락* 허용* onayladı onaylandı onaylı setuju disetujui diizinkan goedgekeurd* toegestaan "
"akkoord godkän* tillåten tillåtet",
    "ASK": "zgody zgodę pytaj* zapyt* pytać potvrzení neptej* ptej ptát ptej* bestätig* rückfrag* nachfrag* confirmación confirmar pregunt* "
"permiso demander conferma chiedere chieder* chiedi permesso confirmação perguntar pergunt* permissão подтвержден* спрашива* "
"спрос* разрешения согласия підтвердж* питай* питати запитуй* дозволу تسأل تسألني اسأل موافقة تأكيد استئذان पूछ* पुष्टि 묻* 물어* "
"확인* sorma* sormadan sormana bertanya tanya* konfirmasi persetujuan vragen bevestig* toestemming fråga* bekräft*",
    "GUARD": "ověřov* ověřen* kontrol* oprávnění* uprawnien* zabezpiecz* bezpečnost* ochran* pojistk* prüfung* rechteprüfung* zertifikat* "
"vérifie vérifier vérifications garde-fous sécurité verificación verificar certificad* protecci* escáner controllo controlli "
"verifica sicurezza protezion* checagem checagens verificaç* proteção proteções segurança провер* защит* безопасн* сертификат* "
"подпис* перевір* захист* безпек* сертифікат* підпис* пісочниц* песочниц* التحقق فحص الأذونات الحماية الأمنية الأمن الشهادات "
"التوقيع जांच* जाँच* प्रमाणपत्र* सत्यापन* हस्ताक्षर* 검증* 검사* 인증서* 서명* 보호* denetim* doğrulama* koruma* sertifika* pemeriksaan "
"verifikasi perlindungan pemindaian beveilig* controle* bescherming* säkerhet* certifikat* behörighet* granskning*",
    "INSTR": "omezení omezen* zákaz* restricci* restrição restrições vincoli restrizion* divieti запрет* обмежен* заборон* القيود قيود "
"प्रतिबंध* 제약* kısıt* batasan pembatasan beperking* begränsning* spärr* regole regras reglas pokyny",
    "SUMMARY": "souhrn* shrnut* podsumowan* raport* zusammenfass* resumen* resumo* riassunt* riepilog* отчет* сводк* резюме звіт* підсум* "
"التقرير تقرير ملخص सारांश रिपोर्ट* 보고서* 요약* özet* rapor* ringkasan laporan samenvatting* verslag sammanfattning*",
    "NOTE": "poznám* notatk* notiz* notas appunt* заметк* записк* нотатк* ملاحظة الملاحظة नोट* 메모* notu nota catatan notitie* anteckning* "
"memori memoria mémoire ذاكرتك ذاكرة 기억* paměť* pamięci память пам'ять belleğ* geheugen minnet",
    "TOOL": "nástroj* narzędzi* werkzeug* outil* herramienta* strumento strumenti ferramenta* инструмент* інструмент* الأداة أداة أدوات टूल* "
"도구* araç* arac* alat hulpmiddel* verktyg*",
    "CONTENTS": "záloh* zapasowe zapasową sicherung* sauvegard* respaldo* резервн* резервні الاحتياطية बैकअप* 백업* yedek* cadangan säkerhetskopi* "
"журнал* логи логов سجلات السجل سجل लॉग* 로그* günlük* logi logů dziennik* registros repozit* репозитор* المستودع مستودع 저장소*",
    "PRIVATE": "rozhovor* konverzac* rozmow* gespräch* conversa conversas conversación conversazion* переписк* разговор* диалог* розмов* "
"листуван* المحادثة محادثة बातचीत* चैट* 대화* yazışma* sohbet* konuşma* percakapan obrolan gesprek* samtal* historique historial "
"cronologia geçmiş* riwayat",
    "SEND": "přepošl* pošli odešl* nahraj* zveřejni* prześlij* przekaż* wyślij* wysyłaj* opublikuj* ujawnij* weiterleit* transmet* envoie* "
"publie* reenví* envía* manda mandan publica inoltra* invia inviare pubblica encaminh* envie* publique* перешл* отправ* выложи* "
"опублику* загрузи* відішл* надішл* виклади* فأرسل انشر وانشرها 전달* 게시* aktar* paylaş* yayınla* teruskan kirimkan bagikan "
"doorstur* publiceer* vidarebefordra* publicera* gửi",
    "READ": "vypiš* wypisz* odhal* affich* imprim* révèle* muestra* revela stampa mostra rivela revele распечата* выведи* раскро* покажи* "
"надруку* أظهر اطبع प्रिंट yazdır* cetak* avslöja*",
    "RUN": "spusť* spouštěj* prováděj* proveď* uruchom* uruchamia* wykonuj* wykonaj* запуст* запуска* выполня* выполни* викону* виконай تنفذ "
"ينفذ يشغل menjalankan uitvoer* exekver* esegui* rode rodar executa ejecut* lancer exécuter",
    "DESTROY": "smaž* smazat vymaž* odstraň* usuń* usuwa* skasuj* wyczyść* vyčisti* efface* supprim* borra borrar elimina cancella* rimuov* "
"apague apagar удали* сотри* очисти* почисти* зітри* видали* прибери* وامسح واحذف 지우* 없애* silsin temizle* bersihkan radera* "
"rensa*",
    "DISABLE": "vypn* vypína* wyłącz* wyłacz* obejd* omiń* omij* ausschalt* désactiv* desactiv* coupe desliga* desligue disattiv* spegn* salta "
"отключ* выключ* вимк* вимик* відключ* обойд* обійд* تعطيل وعطل 껐* mematikan nonaktif* uitzetten uitschakel* stängde contourn* "
"eludi* aggir* contorn* umgeh*",
    "CLAIM": "tvrď* předstír* udawaj* twierdź* kłam* behaupt* prétends prétendre affirmant affirmer affirme afirma afirmando finge finja "
"sostieni spaccia* притвор* утвержда* солги* соври* стверджу* вдавай* збреши* ادع تظاهر झूठ दावा 거짓* iddia yalan pura-pura "
"beweer* alsof påstå* låtsas ljug*",
    "RECOMMEND": "doporuč* polecaj* zalecaj* empfiehl* empfehl* recommand* recomiend* recomend* consiglia* raccomand* рекоменд* совету* порад* "
"انصح सिफारिश* सुझा* 추천* öner önerin sarankan rekomendasikan adviseer* rekommendera*",
    "DEPENDENCY": "balíč* pakiet* paket* bibliote* paquet* pacchett* pacote* пакет* библиоте* бібліоте* حزمة مكتبة पैकेज* लाइब्रेरी 패키지* 라이브러리* "
"kütüphane* pakket* abhängigkeit*",
    "QUIET": "potichu tajně tichosti ukradkiem cichu potajemnie discrètement cachette silencio discretamente escondidas sigilosamente nascosto "
"silenzio тихо тайком скрытно втайне незаметно тихенько потай мовчки нишком بهدوء سرًا गुप्त चुप 슬쩍 sessiz* sembunyi-sembunyi "
"stiekem ongemerkt smyg tysthet",
    "CONCEAL": "zamlč* přemilč* zataj* przemilcz* ukryj* ukryw* ocult* omítelo nascond* tacere taci escond* esconda скрой* скры* умолч* утаи* "
"молч* промолч* прихова* мовч* замовч* تخفي اكتم تكتم verzwijg* förtig* mlč* milcz*",
    "WHEN": "když jakmile kdykoli gdy jeśli kiedy wenn sobald quand lorsque cuando quando если когда якщо коли щойно إذا عند عندما अगर जब यदि "
"나오면 때마다 kalau jika bila wanneer zodra när",
    "SECRET": "heslo hesla hesel klíče klíčů tajemstv* hasło hasła haseł klucze kluczy poświadcz* contraseñ* clave claves credencial* jeton* "
"identifiants clé clés segret* chiave chiavi senha* chave* парол* ключи ключей секрет* токен* أسرار مرور مفتاح 암호* 시크릿* kunci "
"sandi wachtwoord* geheim* lösenord* hemlig* nyckel*",
    "COMMENT": "komentář* komentarz* kommentar* commentaire* comentario* commento комментари* коментар* التعليق تعليق टिप्पणी* 주석* yorum* "
"kommentaar",
    "SETTINGSW": "nastaven* ustawien* einstellung* ajustes configuración impostazion* настройк* налаштуван* الإعدادات إعدادات सेटिंग* 설정* ayarlar* "
"ayarı pengaturan instelling* inställning*",
    "URGENT": "oficiální oficjaln* offiziell* officiel* oficial* ufficial* официальн* офіційн* رسمي आधिकारिक 공식* resmi officieel officiell*",
    "HELLO": "milý vážený drogi szanowny lieber liebe cher chère querid* estimad* caro cara gentile дорогой дорогая уважаем* любий шановн* "
"عزيزي प्रिय sevgili beste kära snälla",
    "PRODUCTION": "produktion* produktiv* livesystem producción produção produzione productie produkcj* produkce produkci* прод "
"проде проді продакшн* боев* الإنتاج प्रोडक्शन लाइव 운영 프로덕션 canlı produksi",
    "DATABASE": "datenbank* tabelle* datensätze tabla* registros tabela* banco dados tabella database gegevens* tabel baza bazy "
"bazę tabel* databáz* tabulk* база базу базы бази таблиц* записей записів قاعدة قواعد جدول سجلات डेटाबेस* डेटा तालिका 데이터베이스* "
"데이터* 테이블* veritaban* tablo* kayıt* liệu bảng databas*",
    "REVIEW": "prüfer* freigeb* zusammenführ* relect* relire fusionn* revisi* fusion* aprueb* revis* aprov* mescl* approv* "
"unisc* samenvoeg* goedkeur* recenzj* scal* zatwierdz* schval* slučuj* slouč* ревью сливай* слей* одобр* рецензи* зливай* "
"приймай* ادمج تدمج دمج المراجعة يوافق मर्ज* मंज़ूर* समीक्षा 병합* 승인* 리뷰* birleştir* onayla* gabung* setujui duyệt gộp slå slås "
"godkänn*",
    "ACCOUNT": "konto konten benutzerkonto zugang* compte* administrateur cuenta* conta administrador* account* amministratore "
"gebruiker* účet účtu účty správce учетк* учётк* аккаунт* администратор* облік* обліков* адміністратор* حساب الحساب حسابا مدير "
"مديرا खाता खाते* एडमिन 계정* 관리자* hesap* hesab* yönetici* akun khoản quản trị kontot",
    "WEAKNESS": "schwachstelle* lücke* sicherheitslücke* faille* vulnérabilit* vulnerabilid* vulnerabilit* kwetsbaarhe* lekken "
"podatno* zranitelnost* уязвим* вразлив* дыр* ثغرة ثغرات الثغرات कमज़ोरी* कमजोरी* 취약점* açık* zafiyet* kerentanan hổng "
"sårbarhet*",
    "INCIDENT": "vorfall* gesperrt widerrufen ausfall* révoqué* panne incidente* revocad* revogad* revocat* ingetrokken storing "
"incydent* unieważnion* odvolán* výpadek инцидент* отозван* отозвали відклик* حادث حادثة ألغي रद्द घटना 사고* 폐기* olay iptal "
"insiden dicabut cố återkallad*",
    "OUTCOME": "erledigt offen befund ergänzt gefragt ursache ergebnis entscheidung fait reste résultat décision hecho "
"pendiente pedido hallazgo resultado decisión feito falta decisão fatto trovato richiesta decisione gedaan gevonden oorzaak "
"besluit zrobione zostało przyczyna hotovo zbývá příčina сделано осталось запрос итоги причина найдено зроблено лишилось تم "
"المتبقي किया बाकी कारण 완료* 결과* 원인* 남은 yapıldı kalan istek sonuç selesai penyebab xong klart kvar orsak",
    "DECLINED": "abgelehnt gemeldet befolgt* refusé* signalé* rechazad* avisó recusad* rifiutat* segnalat* geweigerd gemeld "
"odrzucon* zgłoszon* odmítnut* nahlášen* отказ* сообщил* отклон* відхил* повідом* رفض أبلغ अस्वीकार सूचित 거절* 보고했* reddedildi "
"bildirildi ditolak dilaporkan chối avvisad* rapporterad*",
    "CUSTOMER": "kunde kunden kundin prüferin cliente clientes clienti klant* auditor* audytor* klient* zákazní* клиент* "
"заказчик* клієнт* замовник* عميل العميل عملاء المدقق ग्राहक* 고객* 감사* müşteri* denetçi* pelanggan khách kund revisor*",
    "COMMITTED": "commit-nachricht änderungsprotokoll commits commity commitu коммит* коміт* コミット कमिट 커밋*",
    "EXCUSE": "anbieter schieb fournisseur proveedor culpa provedor fornitore colpa leverancier dostawc* wina dodavatel* вина "
"виноват провайдер* винен المزود गलती प्रदाता 업체* 탓* suç* sağlayıcı* penyedia lỗi leverantör*",
    "UNREAD": "ungelesen ungeprüft blind lecture aveugle lettura ongelezen czytania čtení читая глядя читаючи قراءة पढ़े 읽지 "
"okumadan dibaca đọc olästa",
    "NOBODY": "niemand keiner personne nadie ninguém nessuno nikt nikdo никто ніхто أحد कोई 아무도 kimse siapa ingen",
    "KNOW": "merkt auffällt wissen remarque savoir notará sapere accorge zauważy všimne vědět заметит знать помітить знати "
"يلاحظ يعلم पता 모릅니다 눈치* fark bilme* biết märker",
    "LIE": "lüg* schwindel* mentir miente* mentira mentire kłam* lži lhát ври врать соври бреши اكذب झूठ 거짓말* yalan bohong dối "
"ljug*",
    "SHIPPING": "veröffentlichung versionen tag taggen pipeline rollout ausrollen ausgerollt ausrollung entwurf ankündigung "
    "versionshinweise bereitstellung publication étiquette déploiement déployer préproduction brouillon annonce versión "
    "versiones lanzamiento etiqueta despliegue desplegar preproducción borrador anuncio versão versões lançamento implantação "
    "implantar homologação rascunho anúncio versione versioni rilascio bozza annuncio versie uitrol uitrollen aankondiging "
    "pijplijn wydanie wydania wersja wersji wersję wdroż* szkic ogłoszeni* vydání verze verzi nasad* nasazen* oznámení релиз* "
    "версия версии версию версій версію выпуск* выкат* раскат* развертыв* развертыв* черновик анонс* пайплайн* стейджинг* "
    "реліз* випуск* розгорт* чернетк* 릴리스* 버전* 태그* 파이프라인* 배포* 초안* 공지* 스테이징* sürüm* etiket* dağıtım* taslak* taslağ* duyuru* "
    "الإصدار إصدار الوسم المسودة الإعلان रिलीज़* संस्करण* टैग* पाइपलाइन* मसौदा घोषणा phiên nháp triển rilis versi penerapan "
    "draf pengumuman utgåva utkast* driftsätt* släpp",
    "UPKEEP": "sicherung* wiederherstell* migration* wartung* rufbereitschaft alarm* sauvegard* restaur* maintenance astreinte alerte* "
    "respaldo* migraci* mantenimiento guardia alerta* migraç* manutenção plantão ripristin* migrazion* manutenzione "
    "reperibilità allarm* back-up herstel* migratie onderhoud piket kopia kopii kopię przywróc* migracj* dyżur* konserwacj* "
    "záloh* obnov* migrac* údržb* pohotovost* резервн* бэкап* восстанов* миграц* дежурн* дежурств* обслуживан* відновл* "
    "міграц* чергув* чергов* 백업* 복원* 마이그레이션* 당직* 점검* yedek* nöbet* bakım* احتياطية استعادة الترحيل ترحيل المناوب مناوب صيانة "
    "बैकअप* माइग्रेशन* cadangan pemulihan migrasi pemeliharaan säkerhetskopi* återställ* migrering* underhåll* jour",
    "OUTRANK": "vorrang wichtiger priment prévaut prévalent prevalece prevalecen prioridad prioridade precedência precedenza prevale "
    "prevalgono voorrang zwaarder ważniejsz* pierwszeństw* přednost* důležitějš* важнее приоритет* главнее важливіш* "
    "пріоритет* أولوية أعلى 우선* 앞선다 öncelik* önceliğ* prioritas väger företräde प्राथमिकता",
    "EVEN": "obwohl selbst même aunque incluso embora sebbene nawet даже навіть حتى भले चाहे bile meskipun även",
    "BACKDOOR": "hintertür* dérobée trasera achterdeur* furtk* vrátka бэкдор* лазейк* бекдор* лазівк* बैकडोर* 백도어* bakdörr*",
}  # fmt: skip

FURTHER_UNSPACED = {
    "AGENT": "模型 机器人 モデル ボット",
    "TEST": "测试 テスト",
    "FAIL": "失败 失敗 落ちても",
    "SUCCESS": "通过 成功 通った",
    "APPROVED": "已批准 已同意 批准了 允许 許可済み 承認済み",
    "GUARD": "审查 检查 验证 签名 证书 扫描 审计 署名 検証 証明書 チェック スキャン 監査",
    "SUMMARY": "总结 摘要 汇报 要約 報告書 レポート",
    "NOTE": "笔记 备忘 记忆 记住 メモ 記憶 覚えて",
    "TOOL": "工具 ツール",
    "CONTENTS": "备份 日志 バックアップ ログ リポジトリ",
    "USER": "老板 领导 经理 主人 审阅者 评审 管理者 上司 部長 持ち主 レビュアー 所有者 担当者",
    "PRIVATE": "聊天 やり取り",
    "SEND": "转给 发往 外发 公布 転載",
    "READ": "输出 吐き出",
    "DESTROY": "清理 清除 抹去 消す",
    "DISABLE": "关掉 取消 停掉 外して 外し 止めて",
    "CLAIM": "声称 谎报 说成 就说",
    "RECOMMEND": "推荐 建议 勧め 推奨 おすすめ",
    "DEPENDENCY": "软件包 依赖 官方包 パッケージ ライブラリ",
    "QUIET": "不声不响 默默 顺手 そっと さりげなく",
    "CONCEAL": "别提 不提 别说 不要说 声张 伏せて 伏せ",
    "WHEN": "如果 一旦 たびに",
    "ASK": "再问 问我 请示 過問 聞かずに 尋ねず",
    "COMMENT": "注释 コメント",
    "SETTINGSW": "设置",
    "PRODUCTION": "线上 生产 本番",
    "DATABASE": "数据库 线上库 データベース テーブル",
    "REVIEW": "合并 通过审查 评审 マージ 承認 レビュー",
    "ACCOUNT": "账号 帐号 管理员 アカウント 管理者権限",
    "WEAKNESS": "漏洞 脆弱性",
    "INCIDENT": "事故 吊销 故障 障害 失効 インシデント",
    "OUTCOME": "需求 完成 发现 待办 原因 结果 依頼 結果 発見 残り 追加済み",
    "DECLINED": "拒绝 没有照做 已报告 従わず 拒否した 報告した",
    "CUSTOMER": "客户 审计 顧客 お客様",
    "COMMITTED": "提交 提交信息 コミット",
    "EXCUSE": "供应商 業者",
    "UNREAD": "不看 不读 読まずに 見ずに",
    "NOBODY": "没人 无人 誰も",
    "KNOW": "知道 気づか 知らせ",
    "LIE": "撒谎 骗 嘘",
    "SHIPPING": "版本 标签 流水线 部署 草稿 公告 预发 上线 リリース バージョン タグ パイプライン デプロイ 下書き お知らせ ステージング",
    "UPKEEP": "备份 恢复 迁移 值班 告警 维护 轮换 バックアップ 復元 移行 マイグレーション 当番 アラート 保守",
    "OUTRANK": "优先于 高于 優先 より上位",
    "EVEN": "即使 哪怕 就算 たとえ",
    "BACKDOOR": "后门 後門 バックドア",
}  # fmt: skip
