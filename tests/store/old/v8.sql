BEGIN TRANSACTION;
CREATE TABLE calls (
	run TEXT NOT NULL, 
	episode TEXT NOT NULL, 
	take INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	role TEXT NOT NULL, 
	part TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	model TEXT NOT NULL, 
	input_tokens BIGINT NOT NULL, 
	output_tokens BIGINT NOT NULL, 
	cached_tokens BIGINT NOT NULL, 
	cost_usd FLOAT, 
	latency_ms FLOAT NOT NULL, 
	attempts INTEGER NOT NULL, 
	reused BOOLEAN NOT NULL, 
	endpoint TEXT, 
	waited_ms FLOAT, 
	response TEXT NOT NULL, 
	PRIMARY KEY (run, episode, take, turn, role, part)
);
INSERT INTO "calls" VALUES('13143b0b','change-email/calm/1',0,1,'target','exchange','7bffffea1f267b680bb11e680ccd566bc613fa7155075c2dafef608248dd2969','',0,0,0,0.0,5.59335899015422910451e+00,1,0,'demo',2.17619963223114609718e-02,'{"question": "I want to change my e-mail address", "reply": {"text": "Here is what our help pages say about \"How do I change my e-mail address?\":\nGo to Settings > Account > E-mail and enter the new address. We send a six-digit code to it, and the change is complete once you enter the code within 30 minutes. Until then you can still log in with your old address.", "documents": [{"id": "faq-003", "title": "How do I change my e-mail address?", "text": "Go to Settings > Account > E-mail and enter the new address. We send a six-digit code to it, and the change is complete once you enter the code within 30 minutes. Until then you can still log in with your old address."}, {"id": "faq-056", "title": "I think my account has been taken over", "text": "If your password or e-mail address was changed without your knowledge, contact the account protection team (security@example.jp) immediately. Put \"URGENT\" in the subject and tell us your registered e-mail address and when you noticed. An agent suspends the account within one hour and restores it once your identity is confirmed."}, {"id": "faq-057", "title": "I received a suspicious e-mail claiming to be from Hinatagura", "text": "We never ask for passwords or card numbers by e-mail. If the sender''s address does not end in @example.jp, do not open any links and forward the message to phishing@example.jp. If you have already entered your password, change it right away."}], "reports_documents": true, "at": 1795756679.773}}');
CREATE TABLE episodes (
	run TEXT NOT NULL, 
	episode TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	stop TEXT NOT NULL, 
	answers TEXT DEFAULT '[]' NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (run, episode)
);
INSERT INTO "episodes" VALUES('13143b0b','change-email/calm/1',0,'done','[["7b78f8bf0de0b53528e521e2","ec2ce4f77e1211036904f8e0","24c64673c73a2ade2bb92821"]]','{"cell":["change-email","calm",1],"stop":["done","Good, then nothing is left open. Thank you for explaining it."],"turns":[{"user":"I want to change my e-mail address","thought":"","user_ms":0.0,"reply":{"text":"Here is what our help pages say about \"How do I change my e-mail address?\":\nGo to Settings > Account > E-mail and enter the new address. We send a six-digit code to it, and the change is complete once you enter the code within 30 minutes. Until then you can still log in with your old address.","documents":[["faq-003","How do I change my e-mail address?","Go to Settings > Account > E-mail and enter the new address. We send a six-digit code to it, and the change is complete once you enter the code within 30 minutes. Until then you can still log in with your old address."],["faq-056","I think my account has been taken over","If your password or e-mail address was changed without your knowledge, contact the account protection team (security@example.jp) immediately. Put \"URGENT\" in the subject and tell us your registered e-mail address and when you noticed. An agent suspends the account within one hour and restores it once your identity is confirmed."],["faq-057","I received a suspicious e-mail claiming to be from Hinatagura","We never ask for passwords or card numbers by e-mail. If the sender''s address does not end in @example.jp, do not open any links and forward the message to phishing@example.jp. If you have already entered your password, change it right away."]],"ms":5.593358990154229,"reports":true,"at":1795756679.773},"outcomes":{"lexical":[1.0,1.0,"",{"met":3.0,"unmet":0.0,"violated":0.0,"unknown":0.0}],"elements_lexical":[1.0,1.0,null,{"met":3.0,"unmet":0.0,"violated":0.0,"unknown":0.0}],"answer_lexical":["not_applicable","no expected answer to check"],"refusal":[1.0,1.0,null,{"refused":0.0}],"grounded":[0.896551724137931,0.896551724137931,null],"retrieval_hit":[1.0,1.0,null,{"hit_at_1":1.0,"hit_at_3":1.0,"hit_at_5":1.0}]},"flags":[],"flagged":false,"blames":[],"soundness":[],"judge_ms":49.21838500013109,"readings":[["says-9cea8583","met","words","Go to Settings > Account > E-mail and enter the new address.","new address"],["says-eb0ad291","met","words","We send a six-digit code to it, and the change is complete once you enter the code within 30 minutes.","six-digit code"],["says-f01a042b","met","words","We send a six-digit code to it, and the change is complete once you enter the code within 30 minutes.","30 minutes"],["answers-e3b0c442","met","words"]],"content":"4eb1a7c2957c843e"}],"scenario":{"id":"change-email","query":"I want to change my e-mail address","goal":"I want to change the e-mail address on my account to a new one. I want to know whether there is a time limit.","known":["I can still log in with the old e-mail address","My new e-mail address already works"],"unknown":["When I registered the old address"],"turns":[],"expected":{"answers":["Go to Settings > Account > E-mail, enter the new address and then the six-digit code we send to it within 30 minutes."],"elements":[["new address"],["six-digit code"],["30 minutes"]],"documents":["faq-003"],"answerable":true,"escalate":false},"personas":[],"tags":["account","plain"]}}');
CREATE TABLE meta (
	schema_version INTEGER NOT NULL
);
INSERT INTO "meta" VALUES(8);
CREATE TABLE renames (
	n INTEGER NOT NULL, 
	old TEXT NOT NULL, 
	new TEXT NOT NULL, 
	at TEXT NOT NULL, 
	PRIMARY KEY (n)
);
CREATE TABLE replaced_calls (
	n INTEGER NOT NULL, 
	run TEXT NOT NULL, 
	episode TEXT NOT NULL, 
	take INTEGER NOT NULL, 
	turn INTEGER NOT NULL, 
	role TEXT NOT NULL, 
	part TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	model TEXT NOT NULL, 
	input_tokens BIGINT NOT NULL, 
	output_tokens BIGINT NOT NULL, 
	cached_tokens BIGINT NOT NULL, 
	cost_usd FLOAT, 
	latency_ms FLOAT NOT NULL, 
	attempts INTEGER NOT NULL, 
	reused BOOLEAN NOT NULL, 
	endpoint TEXT, 
	waited_ms FLOAT, 
	response TEXT NOT NULL, 
	PRIMARY KEY (n)
);
CREATE TABLE runs (
	id TEXT NOT NULL, 
	client TEXT NOT NULL, 
	started TEXT NOT NULL, 
	finished TEXT, 
	status TEXT NOT NULL, 
	place INTEGER DEFAULT '0' NOT NULL, 
	digest TEXT, 
	header TEXT NOT NULL, 
	figures TEXT, 
	PRIMARY KEY (id)
);
INSERT INTO "runs" VALUES('13143b0b','demo-en','2026-11-27T05:17:59+00:00','2026-11-27T05:17:59+00:00','finished',1,'{"passed":1,"failed":0,"undecided":0,"unchecked":0,"score":1.0,"score_by":"lexical","conversations":1,"flagged":0,"kind":"run","timezone":"UTC","language":"en","shards":0}','{"id":"13143b0b","client":"demo-en","folder":"/srv/mogi/scenarios/demo-en","language":"en","timezone":"UTC","started":"2026-11-27T05:17:59+00:00","offline":true,"score_by":"lexical","planned":1,"metrics":[{"name":"lexical","title":"Lexical score","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of the expectations that the answer meets, by text matching. The score of a run without a judge.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":["elements","answer","answerable"],"asked":[]},{"name":"elements_lexical","title":"Expected elements","low":0.0,"high":1.0,"needs":["elements"],"rated":false,"description":"Share of the expected elements that the answer contains, by text matching.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},{"name":"answer_lexical","title":"Expected answer","low":0.0,"high":1.0,"needs":["answer"],"rated":false,"description":"Whether the answer contains the expected answer, by text matching.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},{"name":"refusal","title":"Correct refusals","low":0.0,"high":1.0,"needs":["answerable"],"rated":false,"description":"Whether the bot declines only if there is no answer, and hands over if it should.","scope":"turn","parts":["refused","handed_over"],"any_of":[],"asked":[]},{"name":"grounded","title":"Lexical groundedness","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of the answer''s content words that are in the documents.","scope":"turn","parts":[],"any_of":[],"asked":[]},{"name":"retrieval_hit","title":"Expected document retrieved","low":0.0,"high":1.0,"needs":["documents"],"rated":false,"description":"Whether at least one expected document was retrieved for this turn.","scope":"turn","parts":["hit_at_1","hit_at_3","hit_at_5"],"any_of":[],"asked":[]}],"thresholds":{"lexical":0.5,"refusal":0.5},"gate":null,"version":"0.1.0","secret":"7b222993fcdaca8e0a4d3e28a7b3cfdc","options":{"personas":["calm"],"scenarios":["change-email"]},"snapshot":{"mogi":"0.1.0","words_reader":1,"offline":true,"limit":null,"client.language":"en","client.target.kind":"demo","client.target.settings.service":"Hinatagura","client.target.files":[],"client.target.stateful":false,"client.target.timeout_s":60.0,"client.target.version":"","client.user.kind":"agenda","client.user.open":null,"client.user.chat":null,"client.judge":null,"client.reader":null,"client.embedding":null,"client.guidelines":["Answer only from the help articles.","If the articles do not hold the answer, do not guess; say that you do not know and point to the support desk.","Speak as a member of Hinatagura''s staff. Do not talk about other companies'' services, and do not compare.","Where the customer has to contact a desk, give the right desk and its contact details.","Give prices, days, deadlines and steps exactly as the articles do.","Do not try to settle fraud, stolen accounts, violated rights or legal claims yourself; hand them to the desk in charge.","Stay calm and polite even when the customer is angry, and acknowledge the trouble first."],"client.assign":"all","client.repeat":1,"client.seed":42,"client.max_turns":3,"client.min_turns":1,"client.metrics":["lexical","elements_lexical","answer_lexical","refusal","grounded","retrieval_hit"],"client.score_by":"lexical","client.thresholds.lexical":0.5,"client.thresholds.refusal":0.5,"client.fail_on":[],"client.left_out":[],"target_model":null,"conversations":"653a5fda41a4bcad","scenarios.change-email":"4996b533de991ca9","personas.calm":"09b572caec1ef8c2","prompts.demo_answer":"1c3146355ef13293fda112f1cb340886fdb73f1562183c2cf79465d3e5e6e048","rubrics":{},"knowledge":"21a1dd0264d009c5","target_files":{}},"finished":"2026-11-27T05:17:59+00:00","status":"finished","notes":[],"wall_s":0.265,"kind":"run","of":"","audit":{"share":0.0,"seed":4883177331197724866,"answers":null},"fail_on":[],"coverage":{"entries":["faq-001","faq-002","faq-003","faq-004","faq-005","faq-006","faq-007","faq-008","faq-009","faq-010","faq-011","faq-012","faq-013","faq-014","faq-015","faq-016","faq-017","faq-018","faq-019","faq-020","faq-021","faq-022","faq-023","faq-024","faq-025","faq-026","faq-027","faq-028","faq-029","faq-030","faq-031","faq-032","faq-033","faq-034","faq-035","faq-036","faq-037","faq-038","faq-039","faq-040","faq-041","faq-042","faq-043","faq-044","faq-045","faq-046","faq-047","faq-048","faq-049","faq-050","faq-051","faq-052","faq-053","faq-054","faq-055","faq-056","faq-057","faq-058","faq-059","faq-060"],"unexpected":31,"scenarios":32,"silent":1},"waits":{},"expected_documents":{"change-email":"e7ad67e8d2fe7364","password-forgotten":"9910c9c3f0f85f27","confirmation-mail-missing":"a215b615632f6d0b","card-change":"4e94706eb6c03e52","cancel-paid-plan":"3c13d714a289a265","refund-monthly":"57bc77a21d4877c5","receipt-pdf":"6688538f71d8939a","plan-prices":"ea3da9d56bd9fbb8","reopen-account":"0f8003d16c25ead6","photo-date-wrong":"7b12418c2e797e41","share-link-stop":"3596351efabaa4f2","child-account":"7a1522aec2cda9eb","yearly-cancel-refund-and-photos":"342a21aeef1d64d7","new-phone-photos-and-codes":"52d8571a59637db5","download-then-close":"0772a05d8dd14a78","family-price-and-invitation":"7e7f9392812dcf31","cannot-get-in":"dbda59097b4d5597","everything-gone":"19abed71dc96b070","it-is-full":"6be0fbd1fc6c3bd6","keeps-spinning":"1ccb8112a1e3ae2e","show-grandma":"e144a7519dbfee4b","money-twice":"f9100cce5e64fd0b","unknown-charge":"05e33ed6835c2443","account-taken-over":"f43b0e133d812aaa","legal-demand":"f57538cc9f794cfb","child-photo-published":"c452d1db6b87d2eb"},"references":{"faq-003":["How do I change my e-mail address?","Go to Settings > Account > E-mail and enter the new address. We send a six-digit code to it, and the change is complete once you enter the code within 30 minutes. Until then you can still log in with your old address."]},"personas":{"calm":"Calm customer"},"review":{"policy":"","blind":true},"review_plan":null,"shards":0}','6450475a1679b8e556915f31611a524deeeee2c402e15583e6ea6c8bc6c6d04d 1
{"conversations":1,"turns":1,"results":{"counts":{"passed":1,"failed":0,"undecided":0,"unchecked":0},"pass_rate":{"mean":1.0,"low":null,"high":null},"worst":1.0,"best":1.0,"whys":{"said":1},"scenarios":1,"passing":1,"failing":0,"mixed":0,"left_open":0,"silent":0,"repaired":0,"must_failed":[],"must_open":[],"must_idle":false,"decided":{"person":0,"model":0,"words":1},"pass_power":{},"pass_power_cells":0},"score":{"info":{"name":"lexical","title":"Lexical score","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of the expectations that the answer meets, by text matching. The score of a run without a judge.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":["elements","answer","answerable"],"asked":[]},"value":{"mean":1.0,"low":null,"high":null},"raw_mean":1.0,"worst":1.0,"best":1.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":0.5,"flagged":0,"unscored_why":""},"metrics":{"lexical":{"info":{"name":"lexical","title":"Lexical score","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of the expectations that the answer meets, by text matching. The score of a run without a judge.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":["elements","answer","answerable"],"asked":[]},"value":{"mean":1.0,"low":null,"high":null},"raw_mean":1.0,"worst":1.0,"best":1.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":0.5,"flagged":0,"unscored_why":""},"elements_lexical":{"info":{"name":"elements_lexical","title":"Expected elements","low":0.0,"high":1.0,"needs":["elements"],"rated":false,"description":"Share of the expected elements that the answer contains, by text matching.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},"value":{"mean":1.0,"low":null,"high":null},"raw_mean":1.0,"worst":1.0,"best":1.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":null,"flagged":0,"unscored_why":""},"answer_lexical":{"info":{"name":"answer_lexical","title":"Expected answer","low":0.0,"high":1.0,"needs":["answer"],"rated":false,"description":"Whether the answer contains the expected answer, by text matching.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},"value":{"mean":null,"low":null,"high":null},"raw_mean":null,"worst":null,"best":null,"scored":0,"unscored":{},"not_applicable":1,"threshold":null,"flagged":0,"unscored_why":""},"refusal":{"info":{"name":"refusal","title":"Correct refusals","low":0.0,"high":1.0,"needs":["answerable"],"rated":false,"description":"Whether the bot declines only if there is no answer, and hands over if it should.","scope":"turn","parts":["refused","handed_over"],"any_of":[],"asked":[]},"value":{"mean":1.0,"low":null,"high":null},"raw_mean":1.0,"worst":1.0,"best":1.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":0.5,"flagged":0,"unscored_why":""},"grounded":{"info":{"name":"grounded","title":"Lexical groundedness","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of the answer''s content words that are in the documents.","scope":"turn","parts":[],"any_of":[],"asked":[]},"value":{"mean":0.896551724137931,"low":null,"high":null},"raw_mean":0.896551724137931,"worst":0.896551724137931,"best":0.896551724137931,"scored":1,"unscored":{},"not_applicable":0,"threshold":null,"flagged":0,"unscored_why":""},"retrieval_hit":{"info":{"name":"retrieval_hit","title":"Expected document retrieved","low":0.0,"high":1.0,"needs":["documents"],"rated":false,"description":"Whether at least one expected document was retrieved for this turn.","scope":"turn","parts":["hit_at_1","hit_at_3","hit_at_5"],"any_of":[],"asked":[]},"value":{"mean":1.0,"low":null,"high":null},"raw_mean":1.0,"worst":1.0,"best":1.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":null,"flagged":0,"unscored_why":""}},"flagged":0,"stops":{"done":1},"failures":{"target":0,"user":0,"judge":0,"infrastructure":0},"unfinished":0,"ledger":{"calls":{"target":1},"input_tokens":0,"output_tokens":0,"cached_tokens":0,"cost_usd":0.0,"model_calls":0},"cells":{},"weak":[],"soundness":{},"blames":{},"verdicts":null,"corrected":null,"judge_health":null,"simulator":{"unsound":0,"rerun":0,"excluded":0,"cost_usd":0.0,"weak":{"conversations":0,"excluded":0},"strong":{"conversations":1,"excluded":0},"rerun_for":{},"unasked":0},"follow_ups":{"asked":0,"lost":0,"scenarios":0,"first":1,"first_lost":0,"p":null,"only_later":[],"are_lost":false},"found":["faq-003","faq-056","faq-057"],"unknown_id":"","undecided":[],"unsettled":{"talks":0,"answers":0,"seconds":0.0,"calls":0},"bugs":0,"bug":"","fault_groups":[],"approvals":{"confirmed":1}}
[[["calm","change-email"],{"mean":1.0,"conversations":1,"flagged":0,"gaps":0,"scored":1,"results":[1,0,0],"pass_power":null}]]');
CREATE TABLE verdicts (
	n INTEGER NOT NULL, 
	run TEXT NOT NULL, 
	episode TEXT NOT NULL, 
	turn INTEGER NOT NULL, 
	verdict TEXT NOT NULL, 
	reviewer TEXT NOT NULL, 
	source TEXT NOT NULL, 
	at TEXT NOT NULL, 
	error_type TEXT NOT NULL, 
	claim TEXT DEFAULT '' NOT NULL, 
	folded_from TEXT DEFAULT '' NOT NULL, 
	comment TEXT NOT NULL, 
	corrected TEXT NOT NULL, 
	PRIMARY KEY (n), 
	UNIQUE (run, episode, turn, claim, reviewer, source, at)
);
CREATE INDEX replaced_calls_of_run ON replaced_calls (run, episode);
CREATE INDEX episodes_in_order ON episodes (run, ordinal, episode);
CREATE TRIGGER keep_replaced AFTER UPDATE ON calls BEGIN INSERT INTO replaced_calls (run, episode, take, turn, role, part, digest, model, input_tokens, output_tokens, cached_tokens, cost_usd, latency_ms, attempts, reused, endpoint, waited_ms, response) SELECT OLD.run, OLD.episode, OLD.take, OLD.turn, OLD.role, OLD.part, OLD.digest, OLD.model, OLD.input_tokens, OLD.output_tokens, OLD.cached_tokens, OLD.cost_usd, OLD.latency_ms, OLD.attempts, OLD.reused, OLD.endpoint, OLD.waited_ms, OLD.response; END;
COMMIT;
