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
INSERT INTO "calls" VALUES('9b8af98c','plan-prices/angry/1',0,1,'target','exchange','8e9ea51a42456ce85a61e6297400ebcdb21a2020babc4ef0d588e58bebbdfe62','',0,0,0,0.0,1.16695079996134154498e+01,1,0,'demo',2.07009998121066018939e-02,'{"question": "What plans do you have and how much per month?", "reply": {"text": "Here is what our help pages say about \"Is there a free trial?\":\nYes, you can try the Standard plan free for 30 days, once per account. We remind you by e-mail three days before the trial ends. Unless you cancel, billing at 480 yen a month starts on day 31.", "documents": [{"id": "faq-016", "title": "Is there a free trial?", "text": "Yes, you can try the Standard plan free for 30 days, once per account. We remind you by e-mail three days before the trial ends. Unless you cancel, billing at 480 yen a month starts on day 31."}, {"id": "faq-052", "title": "Can my family see my photos on the Family plan?", "text": "No. Only the storage space is shared; your photos stay hidden from the others. Put the ones you want them to see in \"Our Shelf\". The owner of the plan sees nothing but how much space each member uses."}, {"id": "faq-020", "title": "How do I use a coupon code?", "text": "Enter the code under Settings > Plan > Coupon and press \"Apply\". The discount is taken off your next bill. Only one coupon can be used per bill, and coupons do not work with yearly billing."}], "reports_documents": true}}');
CREATE TABLE episodes (
	run TEXT NOT NULL, 
	episode TEXT NOT NULL, 
	ordinal INTEGER NOT NULL, 
	stop TEXT NOT NULL, 
	answers TEXT DEFAULT '[]' NOT NULL, 
	data TEXT NOT NULL, 
	PRIMARY KEY (run, episode)
);
INSERT INTO "episodes" VALUES('9b8af98c','plan-prices/angry/1',0,'done','[["05d9cb7a57de68f12b1d51ea","ee33f04ad3d73f7442e6ad57","afe4cc9325f5d66af41b7f83"]]','{"cell":["plan-prices","angry",1],"stop":["done","Finally. Was that so hard?"],"turns":[{"user":"What plans do you have and how much per month?","thought":"","user_ms":0.0,"reply":{"text":"Here is what our help pages say about \"Is there a free trial?\":\nYes, you can try the Standard plan free for 30 days, once per account. We remind you by e-mail three days before the trial ends. Unless you cancel, billing at 480 yen a month starts on day 31.","documents":[["faq-016","Is there a free trial?","Yes, you can try the Standard plan free for 30 days, once per account. We remind you by e-mail three days before the trial ends. Unless you cancel, billing at 480 yen a month starts on day 31."],["faq-052","Can my family see my photos on the Family plan?","No. Only the storage space is shared; your photos stay hidden from the others. Put the ones you want them to see in \"Our Shelf\". The owner of the plan sees nothing but how much space each member uses."],["faq-020","How do I use a coupon code?","Enter the code under Settings > Plan > Coupon and press \"Apply\". The discount is taken off your next bill. Only one coupon can be used per bill, and coupons do not work with yearly billing."]],"ms":11.669507999613415,"reports":true},"outcomes":{"lexical":[0.0,0.0,"expected “980 yen”, but said “Unless you cancel, billing at 480 yen a month starts on day 31.”; expected “1,480 yen”, but said “Unless you cancel, billing at 480 yen a month starts on day 31.”; missing: 200 GB",{"met":0.0,"unmet":1.0,"violated":2.0,"unknown":0.0}],"elements_lexical":[0.0,0.0,null,{"met":0.0,"unmet":1.0,"violated":2.0,"unknown":0.0}],"answer_lexical":["not_applicable","no expected answer to check"],"refusal":[1.0,1.0,"",{"refused":0.0}],"grounded":[0.896551724137931,0.896551724137931,null],"retrieval_hit":[0.0,0.0,"not retrieved: faq-014",{"hit_at_1":0.0,"hit_at_3":0.0,"hit_at_5":0.0}]},"flags":["lexical"],"flagged":true,"blames":["retrieval_miss"],"soundness":[],"judge_ms":78.65216600112035,"readings":[["says-f98a2522","unmet","words","","200 GB"],["says-731330af","violated","words","Unless you cancel, billing at 480 yen a month starts on day 31.","980 yen"],["says-9f7613d6","violated","words","Unless you cancel, billing at 480 yen a month starts on day 31.","1,480 yen"],["answers-e3b0c442","met","words"]]}],"scenario":{"id":"plan-prices","query":"What plans do you have and how much per month?","goal":"I want to know which plans there are. I want to know what each costs per month.","known":["I would use it on my own","I have about 100 GB of photos"],"unknown":[],"turns":[],"expected":{"answers":["Free (5 GB) costs nothing, Standard (200 GB) is 480 yen a month, Premium (2 TB) 980 yen and Family (3 TB, up to six people) 1,480 yen."],"elements":[["200 GB"],["980 yen"],["1,480 yen"]],"documents":["faq-014"],"answerable":true,"escalate":false},"personas":[],"tags":["plan","plain"]}}');
CREATE TABLE meta (
	schema_version INTEGER NOT NULL
);
INSERT INTO "meta" VALUES(7);
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
INSERT INTO "runs" VALUES('9b8af98c','demo-en','2026-11-26T14:48:44+00:00','2026-11-26T14:48:44+00:00','finished',1,'{"passed":0,"failed":1,"undecided":0,"unchecked":0,"score":0.0,"score_by":"lexical","conversations":1,"flagged":1,"kind":"run","timezone":"Asia/Tokyo","language":"en","shards":0}','{"id":"9b8af98c","client":"demo-en","folder":"/srv/mogi/scenarios/demo-en","language":"en","timezone":"Asia/Tokyo","started":"2026-11-26T14:48:44+00:00","offline":true,"score_by":"lexical","planned":1,"metrics":[{"name":"lexical","title":"Lexical score","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of what is expected that the answer meets, by words; the score of a run without a judge.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":["elements","answer","answerable"],"asked":[]},{"name":"elements_lexical","title":"Expected elements","low":0.0,"high":1.0,"needs":["elements"],"rated":false,"description":"Share of the expected elements that the answer says, by words.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},{"name":"answer_lexical","title":"Expected answer","low":0.0,"high":1.0,"needs":["answer"],"rated":false,"description":"Whether the answer says the expected one, by words.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},{"name":"refusal","title":"Refusal right","low":0.0,"high":1.0,"needs":["answerable"],"rated":false,"description":"Whether the reply refuses if, and only if, there is no answer to give, and hands over where it has to.","scope":"turn","parts":["refused","handed_over"],"any_of":[],"asked":[]},{"name":"grounded","title":"Words from the documents","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of the reply''s content words that are in the documents.","scope":"turn","parts":[],"any_of":[],"asked":[]},{"name":"retrieval_hit","title":"Expected document retrieved","low":0.0,"high":1.0,"needs":["documents"],"rated":false,"description":"Whether one of the expected documents was retrieved for this turn.","scope":"turn","parts":["hit_at_1","hit_at_3","hit_at_5"],"any_of":[],"asked":[]}],"thresholds":{"lexical":0.5,"refusal":0.5},"gate":null,"version":"0.1.0","secret":"933ef0991be0ae0cd98bdd8c32a40538","options":{"personas":["angry"],"scenarios":["plan-prices"]},"snapshot":{"mogi":"0.1.0","words_reader":1,"offline":true,"limit":null,"client.language":"en","client.target.kind":"demo","client.target.settings.service":"Hinatagura","client.target.files":[],"client.target.stateful":false,"client.target.timeout_s":60.0,"client.target.version":"","client.user.kind":"agenda","client.user.open":null,"client.user.chat":null,"client.judge":null,"client.reader":null,"client.embedding":null,"client.guidelines":["Answer only from the help articles.","If the articles do not hold the answer, do not guess; say that you do not know and point to the support desk.","Speak as a member of Hinatagura''s staff. Do not talk about other companies'' services, and do not compare.","Where the customer has to contact a desk, give the right desk and its contact details.","Give prices, days, deadlines and steps exactly as the articles do.","Do not try to settle fraud, stolen accounts, violated rights or legal claims yourself; hand them to the desk in charge.","Stay calm and polite even when the customer is angry, and acknowledge the trouble first."],"client.assign":"all","client.repeat":1,"client.seed":42,"client.max_turns":3,"client.min_turns":1,"client.metrics":["lexical","elements_lexical","answer_lexical","refusal","grounded","retrieval_hit"],"client.score_by":"lexical","client.thresholds.lexical":0.5,"client.thresholds.refusal":0.5,"client.fail_on":[],"client.left_out":[],"target_model":null,"conversations":"58edb3902d7ea637","scenarios.plan-prices":"cc80b690df42c98e","personas.angry":"2a2b845bf5dbad60","prompts.demo_answer":"1c3146355ef13293fda112f1cb340886fdb73f1562183c2cf79465d3e5e6e048","rubrics":{},"knowledge":"21a1dd0264d009c5","target_files":{}},"finished":"2026-11-26T14:48:44+00:00","status":"finished","notes":[],"wall_s":0.542,"kind":"run","of":"","audit":{"share":0.0,"seed":652765937838513825,"answers":null},"fail_on":[],"coverage":{"entries":["faq-001","faq-002","faq-003","faq-004","faq-005","faq-006","faq-007","faq-008","faq-009","faq-010","faq-011","faq-012","faq-013","faq-014","faq-015","faq-016","faq-017","faq-018","faq-019","faq-020","faq-021","faq-022","faq-023","faq-024","faq-025","faq-026","faq-027","faq-028","faq-029","faq-030","faq-031","faq-032","faq-033","faq-034","faq-035","faq-036","faq-037","faq-038","faq-039","faq-040","faq-041","faq-042","faq-043","faq-044","faq-045","faq-046","faq-047","faq-048","faq-049","faq-050","faq-051","faq-052","faq-053","faq-054","faq-055","faq-056","faq-057","faq-058","faq-059","faq-060"],"unexpected":31,"scenarios":32,"silent":1},"waits":{},"expected_documents":{"change-email":"e7ad67e8d2fe7364","password-forgotten":"9910c9c3f0f85f27","confirmation-mail-missing":"a215b615632f6d0b","card-change":"4e94706eb6c03e52","cancel-paid-plan":"3c13d714a289a265","refund-monthly":"57bc77a21d4877c5","receipt-pdf":"6688538f71d8939a","plan-prices":"ea3da9d56bd9fbb8","reopen-account":"0f8003d16c25ead6","photo-date-wrong":"7b12418c2e797e41","share-link-stop":"3596351efabaa4f2","child-account":"7a1522aec2cda9eb","yearly-cancel-refund-and-photos":"342a21aeef1d64d7","new-phone-photos-and-codes":"52d8571a59637db5","download-then-close":"0772a05d8dd14a78","family-price-and-invitation":"7e7f9392812dcf31","cannot-get-in":"dbda59097b4d5597","everything-gone":"19abed71dc96b070","it-is-full":"6be0fbd1fc6c3bd6","keeps-spinning":"1ccb8112a1e3ae2e","show-grandma":"e144a7519dbfee4b","money-twice":"f9100cce5e64fd0b","unknown-charge":"05e33ed6835c2443","account-taken-over":"f43b0e133d812aaa","legal-demand":"f57538cc9f794cfb","child-photo-published":"c452d1db6b87d2eb"},"references":{"faq-014":["What plans are there, and what do they cost?","Free (5 GB) costs nothing, Standard (200 GB) is 480 yen a month, Premium (2 TB) is 980 yen a month, and Family (3 TB, up to six people) is 1,480 yen a month. With yearly billing you get 12 months for the price of 10. All prices include tax."]},"personas":{"angry":"Angry customer"},"review":{"policy":"","blind":false},"review_plan":null,"shards":0}','1dd74d8344388127a84e09b1ae13b511055c365a651e0c17f5adee3e03d65f66 1
{"conversations":1,"turns":1,"results":{"counts":{"passed":0,"failed":1,"undecided":0,"unchecked":0},"pass_rate":{"mean":0.0,"low":null,"high":null},"worst":0.0,"best":0.0,"whys":{"contradicts":1},"scenarios":1,"passing":0,"failing":1,"mixed":0,"left_open":0,"silent":0,"repaired":0,"must_failed":[],"must_open":[],"must_idle":false,"decided":{"person":0,"model":0,"words":1},"pass_power":{},"pass_power_cells":0},"score":{"info":{"name":"lexical","title":"Lexical score","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of what is expected that the answer meets, by words; the score of a run without a judge.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":["elements","answer","answerable"],"asked":[]},"value":{"mean":0.0,"low":null,"high":null},"raw_mean":0.0,"worst":0.0,"best":0.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":0.5,"flagged":1,"unscored_why":""},"metrics":{"lexical":{"info":{"name":"lexical","title":"Lexical score","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of what is expected that the answer meets, by words; the score of a run without a judge.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":["elements","answer","answerable"],"asked":[]},"value":{"mean":0.0,"low":null,"high":null},"raw_mean":0.0,"worst":0.0,"best":0.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":0.5,"flagged":1,"unscored_why":""},"elements_lexical":{"info":{"name":"elements_lexical","title":"Expected elements","low":0.0,"high":1.0,"needs":["elements"],"rated":false,"description":"Share of the expected elements that the answer says, by words.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},"value":{"mean":0.0,"low":null,"high":null},"raw_mean":0.0,"worst":0.0,"best":0.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":null,"flagged":0,"unscored_why":""},"answer_lexical":{"info":{"name":"answer_lexical","title":"Expected answer","low":0.0,"high":1.0,"needs":["answer"],"rated":false,"description":"Whether the answer says the expected one, by words.","scope":"turn","parts":["met","unmet","violated","unknown"],"any_of":[],"asked":[]},"value":{"mean":null,"low":null,"high":null},"raw_mean":null,"worst":null,"best":null,"scored":0,"unscored":{},"not_applicable":1,"threshold":null,"flagged":0,"unscored_why":""},"refusal":{"info":{"name":"refusal","title":"Refusal right","low":0.0,"high":1.0,"needs":["answerable"],"rated":false,"description":"Whether the reply refuses if, and only if, there is no answer to give, and hands over where it has to.","scope":"turn","parts":["refused","handed_over"],"any_of":[],"asked":[]},"value":{"mean":1.0,"low":null,"high":null},"raw_mean":1.0,"worst":1.0,"best":1.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":0.5,"flagged":0,"unscored_why":""},"grounded":{"info":{"name":"grounded","title":"Words from the documents","low":0.0,"high":1.0,"needs":[],"rated":false,"description":"Share of the reply''s content words that are in the documents.","scope":"turn","parts":[],"any_of":[],"asked":[]},"value":{"mean":0.896551724137931,"low":null,"high":null},"raw_mean":0.896551724137931,"worst":0.896551724137931,"best":0.896551724137931,"scored":1,"unscored":{},"not_applicable":0,"threshold":null,"flagged":0,"unscored_why":""},"retrieval_hit":{"info":{"name":"retrieval_hit","title":"Expected document retrieved","low":0.0,"high":1.0,"needs":["documents"],"rated":false,"description":"Whether one of the expected documents was retrieved for this turn.","scope":"turn","parts":["hit_at_1","hit_at_3","hit_at_5"],"any_of":[],"asked":[]},"value":{"mean":0.0,"low":null,"high":null},"raw_mean":0.0,"worst":0.0,"best":0.0,"scored":1,"unscored":{},"not_applicable":0,"threshold":null,"flagged":0,"unscored_why":""}},"flagged":1,"stops":{"done":1},"failures":{"target":0,"user":0,"judge":0,"infrastructure":0},"unfinished":0,"ledger":{"calls":{"target":1},"input_tokens":0,"output_tokens":0,"cached_tokens":0,"cost_usd":0.0,"model_calls":0},"cells":{},"weak":[{"cell":{"scenario":"plan-prices","persona":"angry","repeat":1},"turn":1,"user":"What plans do you have and how much per month?","assistant":"Here is what our help pages say about \"Is there a free trial?\":\nYes, you can try the Standard plan free for 30 days, once per account. We remind you by e-mail three days before the trial ends. Unless you cancel, billing at 480 yen a month starts on day 31.","score":0.0,"reason":"","blame":"retrieval_miss","raw":0.0,"flagged":true,"alike":0,"alike_personas":[],"against":"","finding":{"result":"failed","why":"contradicts","turn":1,"metric":"","about":["980 yen","1,480 yen"],"claim":"says-731330af","decided_by":"words"},"quote":"Unless you cancel, billing at 480 yen a month starts on day 31.","of_group":true}],"soundness":{},"blames":{"retrieval_miss":1},"verdicts":null,"corrected":null,"judge_health":null,"simulator":{"unsound":0,"rerun":0,"excluded":0,"cost_usd":0.0,"weak":{"conversations":1,"excluded":0},"strong":{"conversations":0,"excluded":0},"rerun_for":{},"unasked":0},"follow_ups":{"asked":0,"lost":0,"scenarios":0,"first":1,"first_lost":1,"p":null,"only_later":[],"are_lost":false},"found":["faq-020","faq-052","faq-016"],"unknown_id":"","undecided":[],"unsettled":{"talks":0,"answers":0,"seconds":0.0,"calls":0},"bugs":0,"bug":"","fault_groups":[{"blame":"retrieval_miss","entry":"faq-014","of_scenario":false,"conversations":1,"question":"What plans do you have and how much per month?"}]}
[[["angry","plan-prices"],{"mean":0.0,"conversations":1,"flagged":1,"gaps":0,"scored":1,"results":[0,1,0],"pass_power":null}]]');
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
	comment TEXT NOT NULL, 
	corrected TEXT NOT NULL, 
	PRIMARY KEY (n), 
	UNIQUE (run, episode, turn, reviewer, source, at)
);
INSERT INTO "verdicts" VALUES(1,'9b8af98c','plan-prices/angry/1',1,'NG','Sato','review.xlsx','2026-11-26T10:00:00+00:00','','it names no price','');
CREATE INDEX replaced_calls_of_run ON replaced_calls (run, episode);
CREATE INDEX episodes_in_order ON episodes (run, ordinal, episode);
CREATE TRIGGER keep_replaced AFTER UPDATE ON calls BEGIN INSERT INTO replaced_calls (run, episode, take, turn, role, part, digest, model, input_tokens, output_tokens, cached_tokens, cost_usd, latency_ms, attempts, reused, endpoint, waited_ms, response) SELECT OLD.run, OLD.episode, OLD.take, OLD.turn, OLD.role, OLD.part, OLD.digest, OLD.model, OLD.input_tokens, OLD.output_tokens, OLD.cached_tokens, OLD.cost_usd, OLD.latency_ms, OLD.attempts, OLD.reused, OLD.endpoint, OLD.waited_ms, OLD.response; END;
COMMIT;
