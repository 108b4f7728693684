// @ts-check
/**
 * The page's doors beside the lead's: conversations and review. Whatever came from a bot or a user
 * is set as text, never as markup. The data's shape is written by data.py.
 *
 * @typedef {{user?: string, bot?: string, failure?: string, documents?: number[], score?: number,
 *   raw?: string, comment?: string, values?: (number | null)[], flagged?: number,
 *   blames?: string[], quotes?: string[][], read?: string[][], soundness?: string[], hash?: string, same?: number,
 *   people?: {who: string, word: string, error_type: string, corrected: string,
 *   comment: string, at: string, folded: number}[]}} Turn
 * @typedef {{key: string, scenario: string, persona: string, repeat: number, result: string,
 *   why: string, shown: number, group: string[], stop: string, claims: [string, string, string, number, string][],
 *   turns: Turn[], change?: string, before?: Talk | null}} Talk
 * @typedef {{query: string, goal: string, tags: string[], documents: string[], answers: string[],
 *   escalate: boolean, answerable: boolean | null}} Scenario
 * @typedef {{format: number, run: {id: string, client: string, language: string, score_by: string,
 *   metrics: string[], rows: boolean, personas: Record<string, string>}, words: Record<string, string>, talks: Talk[],
 *   documents: string[][], scenarios: Record<string, Scenario>, before?: {id: string},
 *   queue: [string, number, number][], review: {error_types: string[], rules: [string, string][],
 *   policy: string, blind: boolean}}} Data
 * @typedef {{run: string, episode: string, turn: number, hash: string, verdict: string,
 *   error_type: string, corrected: string, comment: string, reviewer: string, at: string, claim?: string}} Verdict
 * @typedef {"verdict" | "error_type" | "corrected" | "comment"} Field
 * @typedef {{run: string, episode: string, turn: number, hash: string, claim: string, reviewer: string}} About
 * @typedef {About & {at: string, field: Field, value: string, seen: string[], due: number}} Edit
 * @typedef {{cells: Record<string, string>, scenario: string, claim: string, worded: boolean, open: boolean}} ClaimRow
 * @typedef {{heads: Record<string, string>, words: Record<string, string>, rows: ClaimRow[], drawn: number,
 *   judged: number, wrong: number, upper: number | null, bulk: number, trouble: string[]}} Claims
 * @typedef {{key: string, right: string | null, pair: {question: string, before: string, after: string, why: string}}} PairRow
 * @typedef {{heads: Record<string, string>, choices: Record<string, string>, rows: PairRow[], chosen: string}} Pairs
 * @typedef {{episode: string, turn: number, word: string | null, error_type: string, corrected: string,
 *   comment: string, reviewer: string, at: string, claim: string}} Stored
 * @typedef {Node | string | null | undefined | false} Child
 */

const ROW = 68; // pixels of a line of the list, as page.css has it
const MARKS = /** @type {Record<string, string>} */ ({ passed: "✓", failed: "✗", undecided: "?", unchecked: "–" });
const STATES = /** @type {Record<string, [string, string]>} */ ({ met: ["✓", "passed"], unmet: ["✗", "failed"], violated: ["✗", "failed"], unknown: ["?", "undecided"] });
const SEEN = 200; // texts of a field since the last one that the store is known to have
const AT_ONCE = 500; // fields; the server takes some more
const TYPING = 500; // milliseconds without a key, after which a text is sent in twice as many
const NEVER = Number.MAX_SAFE_INTEGER;
const ORDER = ["failed", "undecided", "unchecked", "passed"];
const WORDS = /** @type {Record<string, string>} */ ({ 1: "OK", 2: "NG", 3: "unsure" });

const EMPTY = { verdict: "", error_type: "", corrected: "", comment: "" };

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
let lead = document.getElementById("lead"); // none where the page is served: it is fetched, too
const doors = /** @type {HTMLElement} */ (document.querySelector(".bar nav"));

/**
 * An element with its properties and children; a property that begins with a capital letter or
 * holds a dash is an attribute.
 * @param {string} name
 * @param {Record<string, any>} [props]
 * @param {Child[]} children
 */
function el(name, props = {}, ...children) {
  const made = /** @type {any} */ (document.createElement(name));
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === false) continue;
    if (key.includes("-") || key === "role" || key === "for") made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children.filter((c) => c !== null && c !== undefined && c !== false && c !== ""));
  return /** @type {HTMLElement} */ (made);
}

/** Why the server of this page gave nothing, by the wording that tells it. */
class Trouble extends Error {
  /** @param {"gone" | "other" | "busy" | "refused" | "token"} kind @param {string} [why] */
  constructor(kind, why = "") {
    super(why);
    this.kind = kind;
  }
}

/**
 * A sentence on what went wrong and what helps; before the data is there, the page's shell has it.
 * @param {unknown} error
 */
function sentence(error) {
  const kind = error instanceof Trouble ? error.kind : "broken";
  const command = data ? `mogi view ${data.run.id}` : "mogi view";
  const wording = data?.words[`trouble.${kind}`] ?? main.dataset[kind] ?? "";
  return filled(wording, { command, why: error instanceof Trouble ? error.message : "" });
}

const utf8 = new TextEncoder();
/** @param {ArrayBuffer} bytes */
const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
/** A name that nothing else has; also where a report is served without TLS, which has no `randomUUID`. */
const random = () => hex(crypto.getRandomValues(new Uint8Array(16)).buffer);
/** @param {BufferSource} bytes */
const digest = async (bytes) => hex(await crypto.subtle.digest("SHA-256", bytes));

/** @param {string[]} parts what only who knows the token can sign like this */
async function signed(...parts) {
  const key = await crypto.subtle.importKey("raw", utf8.encode(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return hex(await crypto.subtle.sign("HMAC", key, utf8.encode(parts.join("\n"))));
}

/**
 * The name of the server that answers here, which proves that it knows the token: while this page's
 * server is not running, anybody on the machine may listen at its port.
 */
async function server() {
  const nonce = random();
  const answer = await fetch(`proof?nonce=${nonce}`);
  const [name, proof] = (await answer.text()).split(" ");
  if (!answer.ok || proof !== await signed("proof", nonce, location.host, name)) throw new Trouble("other");
  return name;
}

/**
 * What the server of this page says. The token itself is never sent: whoever
 * took the port in between gets a request that is good for nothing else, and can sign no answer.
 * @param {string} path
 * @param {string} [body] which is posted
 */
async function ask(path, body) {
  if (!token) throw new Trouble("token");
  try {
    const [name, { pathname, search }] = [await server(), new URL(path, location.href)];
    const method = body === undefined ? "GET" : "POST";
    const content = await digest(utf8.encode(body ?? ""));
    const signature = await signed("request", method, pathname + search, location.host, name, content);
    const head = { Authorization: `Mogi ${content} ${signature}`, "Content-Type": "application/json" };
    const answer = await fetch(path, { method, body, headers: head });
    const bytes = await answer.arrayBuffer();
    const proof = await signed("answer", signature, String(answer.status), await digest(bytes));
    if (answer.headers.get("Mogi-Signature") !== proof) throw new Trouble("other");
    const said = new Response(bytes);
    if (answer.ok) return said;
    throw new Trouble(answer.status === 503 ? "busy" : "refused", await said.text());
  } catch (error) { // of fetch: nobody is there
    throw error instanceof Trouble ? error : new Trouble("gone");
  }
}

/** @param {BlobPart} bytes */
function unpacked(bytes) {
  const { DecompressionStream } = /** @type {any} */ (globalThis); // older typescript has no type of it
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

/** @param {string} html which a template of ours made */
function parsed(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  return made.content;
}

/** What became of the run since the one before comes later: two runs are read for it. */
async function compared() {
  const { html, changes } = await (await ask("since")).json();
  if (!html || !lead) return;
  for (const talk of data.talks) talk.change = changes[`${talk.scenario}/${talk.persona}`];
  lead.querySelector(".tiles")?.after(parsed(html));
  if ((asked().get("q") ?? "").includes("change:")) route();
}

/** @returns {Promise<Data>} */
async function load() {
  if (!lead) {
    const loading = el("p", { role: "status", className: "soft" }, main.dataset.loading ?? "");
    main.append(loading);
    lead = parsed(await (await ask("lead")).text()).getElementById("lead");
    if (lead && doorOf(asked()) === "#lead") main.replaceChildren(loading, lead);
    return unpacked(await (await ask("data")).arrayBuffer());
  }
  const packed = /** @type {HTMLTemplateElement} */ (document.getElementById("data"));
  const bytes = Uint8Array.from(atob(packed.content.textContent || ""), (c) => c.charCodeAt(0));
  packed.remove();
  return unpacked(bytes);
}

// A page that is served comes with a token in its address; it is kept for this tab only.
const given = /^#token=([\w-]+)/.exec(location.hash);
if (given) {
  sessionStorage.setItem("mogi-token", given[1]);
  history.replaceState(null, "", location.pathname);
}
const token = location.protocol === "file:" ? "" : sessionStorage.getItem("mogi-token") || "";

/** @type {Data} */
let data;
/** @type {string[]} */
let texts = []; // of each talk all that was said, folded; made when the first word is looked for

/**
 * A wording with its values; `{n:one|other}` chooses by a number.
 * @param {string} key
 * @param {Record<string, string | number>} [values]
 */
function w(key, values = {}) {
  return filled(data.words[key] ?? key.slice(key.indexOf(".") + 1), values);
}

/** @param {string} wording @param {Record<string, string | number>} values */
function filled(wording, values) {
  return wording.replace(/\{(\w+)(?::([^}]*))?\}/g, (_, name, format) => {
    const value = values[name] ?? "";
    if (format?.includes("|")) return format.split("|")[String(value) === "1" ? 0 : 1];
    return typeof value === "number" && format ? value.toLocaleString(data.run.language) : String(value);
  });
}

/** @param {string} text */
const fold = (text) => text.normalize("NFKC").toLowerCase();

/** @param {string} result @param {string} [text] */
const chip = (result, text) => el("span", { className: `chip ${result}` }, `${MARKS[result]} ${text ?? w(`result.${result}`)}`);

/* ---- what is asked for: the filter line is the address ---- */

/**
 * `persona:angry blame:retrieval_miss "some words"` as conditions.
 * @param {string} query
 * @returns {{key: string, value: string}[]}
 */
function parse(query) {
  return [...query.matchAll(/(?:(\w+):)?(?:"([^"]*)"|(\S+))/g)].map(([, key, quoted, plain]) => {
    const known = key && ["persona", "scenario", "tag", "blame", "result", "about", "people", "why", "change"].includes(key);
    const value = quoted ?? plain ?? "";
    return known ? { key, value } : { key: "", value: fold(key ? `${key}:${value}` : value) };
  });
}

/** @param {Talk} talk @param {number} at @param {{key: string, value: string}} asked */
function holds(talk, at, { key, value }) {
  const scenario = data.scenarios[talk.scenario];
  switch (key) {
    case "persona": return talk.persona === value;
    case "scenario": return talk.scenario === value;
    case "result": return talk.result === value;
    case "tag": return (scenario?.tags ?? []).includes(value);
    case "blame": return talk.result === "failed" && talk.group[0] === value
      || talk.turns.some((turn) => turn.blames?.includes(value));
    case "change": return talk.change === value;
    case "about": return talk.group[1] === value;
    case "people": return talk.turns.some((turn) => value === "differ" ? isDisputed(turn) : turn.people?.some((p) => p.word === value));
    case "why": return fold(talk.why).includes(fold(value));
    default:
      texts[at] ??= fold([talk.key, ...talk.turns.flatMap((t) => [t.user ?? "", t.bot ?? ""])].join("\n"));
      return texts[at].includes(value);
  }
}

/** @param {string} query @returns {number[]} */
function found(query) {
  const asked = parse(query);
  const every = data.talks.map((_, at) => at);
  return every.filter((at) => asked.every((one) => holds(data.talks[at], at, one)));
}

/**
 * Failures alike are one; the greatest group first, results in the order of `ORDER`.
 * @param {number[]} talks
 */
function grouped(talks) {
  /** @type {Map<string, number[]>} */
  const groups = new Map();
  for (const at of talks) {
    const { result, group } = data.talks[at];
    const key = result === "passed" && !data.before ? "passed" : [result, ...group].join("\n");
    groups.set(key, [...(groups.get(key) ?? []), at]);
  }
  const rank = (/** @type {number[]} */ g) => ORDER.indexOf(data.talks[g[0]].result);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.length - a.length);
}

/* ---- conversations ---- */

/** @type {Set<string>} */
const unfolded = new Set();
let walk = (/** @type {number} */ _) => {}; // so many lines on in the list that is shown
let left = -1; // how far that list was scrolled when a conversation of it was opened

/** @param {Map<string, string>} where */
function talksDoor(where) {
  const query = where.get("q") ?? "";
  const chosen = where.get("e") ?? "";
  const box = /** @type {HTMLInputElement} */ (el("input", {
    id: "find", type: "search", value: query, placeholder: w("find_like"), autocomplete: "off", spellcheck: false,
  }));
  const count = el("p", { role: "status", className: "soft small" });
  const list = el("div", { className: "list", role: "region", "aria-label": w("talks"), tabIndex: -1 });
  const side = el("div", {});
  const desk = el("div", { className: `desk${chosen ? " open" : ""}` },
    el("section", { className: "pane" },
      el("div", { className: "find" }, el("label", { for: "find", className: "small soft" }, w("find")), box, count, hints(box)),
      el("p", { className: "soft small no-print" }, el("kbd", {}, "j"), " ", el("kbd", {}, "k"), " ", el("kbd", {}, "Enter"), ` ${w("walk")}`),
      list),
    side);
  main.replaceChildren(desk);

  /** @type {{group: number[], at: number, member: boolean, folded: boolean}[]} */
  let rows = [];
  const inner = el("div");
  list.append(inner);

  const draw = () => {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - 3);
    const last = Math.min(rows.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + 3);
    const focused = document.activeElement?.getAttribute("data-row");
    inner.replaceChildren(...rows.slice(first, last).map((row, n) => line(row, first + n)));
    if (focused) /** @type {HTMLElement | null} */ (inner.querySelector(`[data-row="${focused}"]`))?.focus({ preventScroll: true });
  };

  /** @param {{group: number[], at: number, member: boolean, folded: boolean}} row @param {number} place */
  const line = ({ group, at, member, folded }, place) => {
    const talk = data.talks[at];
    const turn = talk.turns[talk.shown - 1] ?? {};
    const several = group.length > 1 && !member;
    const blame = talk.result === "failed" ? ` · ${w(`fault.${talk.group[0]}`)}` : "";
    const was = talk.before && talk.before.result !== talk.result ? ` · ${MARKS[talk.before.result]}→${MARKS[talk.result]}` : "";
    const head = several && talk.result === "passed" ? w("all_passed", { n: group.length })
      : several ? `${w("alike", { n: group.length })}${blame}${talk.group[1] && ` · ${talk.group[1]}`}` : `${talk.scenario} · ${personaName(talk.persona)}${talk.repeat > 1 ? ` · ${talk.repeat}` : ""}${blame}${was}`;
    const made = el("button", {
      className: `row${member ? " member" : ""}`, type: "button", "data-row": String(place), "aria-expanded": several ? String(!folded) : undefined,
      "aria-current": !several && talk.key === where.get("e") ? "true" : undefined,
      onclick: () => several ? fold_(group) : open(talk.key),
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (!step) return;
        event.preventDefault();
        go(place + step);
      },
    },
    el("span", {}, el("b", { className: talk.result }, `${MARKS[talk.result]} `), head),
    el("span", { className: "soft small" }, several && talk.result === "passed" ? "" : turn.bot || turn.failure || talk.why));
    made.style.top = `${place * ROW}px`;
    return made;
  };

  /** @param {number} place */
  const go = (place) => {
    if (place < 0 || place >= rows.length) return;
    if (place * ROW < list.scrollTop) list.scrollTop = place * ROW;
    if ((place + 1) * ROW > list.scrollTop + list.clientHeight) list.scrollTop = (place + 1) * ROW - list.clientHeight;
    draw();
    /** @type {HTMLElement | null} */ (inner.querySelector(`[data-row="${place}"]`))?.focus({ preventScroll: true });
  };

  /** @param {number[]} group */
  const fold_ = (group) => {
    const key = data.talks[group[0]].key;
    if (!unfolded.delete(key)) unfolded.add(key);
    lay();
  };

  /** @param {string} key */
  const open = (key) => {
    left = list.scrollTop;
    where.set("e", key);
    location.hash = address(where);
  };

  const opened = () => rows.findIndex((row) => (row.member || row.group.length < 2) && data.talks[row.at].key === beside);
  walk = (step) => {
    const focused = document.activeElement?.getAttribute("data-row");
    const from = focused ? Number(focused) : opened();
    go(from < 0 ? 0 : from + step);
  };

  let beside = chosen;
  /** @param {number} [at] */
  const show = (at) => {
    const first = at !== undefined && matchMedia("(min-width: 901px)").matches ? data.talks[at] : undefined;
    beside = first?.key ?? "";
    side.replaceChildren(first ? talkView(first) : el("p", { className: "soft" }, w("choose")));
  };

  const lay = () => {
    const talks = found(box.value);
    const groups = grouped(talks);
    rows = groups.flatMap((group) => {
      const folded = !unfolded.has(data.talks[group[0]].key);
      const head = { group, at: group[0], member: false, folded };
      const members = folded || group.length < 2 ? [] : group.map((at) => ({ group, at, member: true, folded }));
      return [head, ...members];
    });
    const failing = talks.filter((at) => data.talks[at].result === "failed").length;
    count.textContent = w("left", { n: talks.length, of: data.talks.length, failing });
    inner.style.height = `${rows.length * ROW}px`;
    draw();
    return talks;
  };

  /** @type {number} */
  let waiting;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(() => {
      where.set("q", box.value);
      list.scrollTop = 0;
      if (!lay().some((at) => data.talks[at].key === beside)) {
        where.delete("e");
        show(rows[0]?.at);
      }
      history.replaceState(null, "", `#${address(where)}`);
    }, 60);
  });
  list.addEventListener("scroll", draw, { passive: true });
  lay();
  const at = data.talks.findIndex((talk) => talk.key === chosen);
  if (!chosen) show(rows[0]?.at);
  else side.append(at < 0 ? el("p", {}, w("no_such", { key: chosen })) : talkView(data.talks[at]));
  if (left >= 0) {
    list.scrollTop = left;
    go(opened());
    left = -1;
  }
  return box;
}

/**
 * What can be asked for, as buttons that write it into the line.
 * @param {HTMLInputElement} box
 */
function hints(box) {
  const personas = new Set(data.talks.map((talk) => talk.persona));
  const blames = data.review.error_types.filter((name) => data.talks.some((talk) => talk.result === "failed" && talk.group[0] === name));
  /** @param {string} label @param {string} key @param {[string, string][]} options */
  const choice = (label, key, options) => options.length < 2 ? null : el("select", {
    "aria-label": label,
    onchange: (/** @type {Event} */ event) => {
      const select = /** @type {HTMLSelectElement} */ (event.target);
      const rest = box.value.replace(new RegExp(`(^|\\s)${key}:("[^"]*"|\\S+)`, "g"), "").trim();
      const value = /\s/.test(select.value) ? `"${select.value}"` : select.value;
      box.value = `${rest} ${select.value ? `${key}:${value}` : ""}`.trim();
      box.dispatchEvent(new Event("input"));
    },
  }, el("option", { value: "" }, label), ...options.map(([value, text]) => el("option", { value }, text)));
  return el("div", { className: "choices" },
    !data.talks.some((talk) => talk.change) ? null : choice(w("change"), "change", [["failing", w("newly.failing")], ["otherwise", w("newly.otherwise")], ["unjudged", w("newly.unjudged")], ["passing", w("newly.passing")]]),
    choice(w("result"), "result", ORDER.filter((r) => data.talks.some((t) => t.result === r)).map((r) => [r, w(`result.${r}`)])),
    choice(w("blame"), "blame", blames.map((b) => [b, w(`fault.${b}`)])),
    choice(w("people"), "people", data.talks.some((t) => t.turns.some(isDisputed)) ? [["differ", w("differ")], ["NG", w("word.NG")]] : []),
    choice(w("persona"), "persona", [...personas].slice(0, 40).map((p) => [p, personaName(p)])));
}

/** @param {string} id of a persona; what people call it */
const personaName = (id) => data.run.personas[id] ?? id;

/** @param {Talk} talk */
function talkView(talk) {
  const { run } = data;
  const back = new Map(Object.entries({ q: asked().get("q") ?? "" }));
  const play = `mogi run ${quoted(run.client)} --scenario ${quoted(talk.scenario)} --persona ${quoted(talk.persona)}`;
  return el("article", { className: "talk", "aria-label": talk.key },
    el("header", {},
      el("p", { className: "back no-print" }, el("a", { href: `#${address(back)}` }, w("back"))),
      el("h2", {}, `${talk.scenario} · ${personaName(talk.persona)}${talk.repeat > 1 ? ` · ${talk.repeat}` : ""}`),
      el("p", {}, chip(talk.result), " ", talk.why)),
    expectedView(talk),
    ...(data.before ? sides(talk) : talk.turns.map((turn, n) => turnView(talk, turn, n + 1, true))),
    el("p", { className: "soft small" }, `${w("end")}: ${w(`stop.${talk.stop}`)}`),
    copyable(`mogi show ${run.id} ${quoted(talk.key)}`),
    run.rows ? null : copyable(play));
}

/**
 * Both talks: once as far as they are the same, then side by side.
 * @param {Talk} talk
 */
function sides(talk) {
  const before = talk.before;
  if (!before) return [el("p", { className: "soft" }, w("only_after")), ...talk.turns.map((turn, n) => turnView(talk, turn, n + 1, true))];
  const parts = talk.turns.findIndex((turn, n) => turn.user !== before.turns[n]?.user || turn.bot !== before.turns[n]?.bot);
  const same = parts < 0 ? talk.turns.length : parts;
  /** @param {Talk} one @param {string} run @param {string} label */
  const side = (one, run, label) => el("section", { className: "talk-side" },
    el("h3", {}, `${w(label)} ${run} `, chip(one.result)), el("p", { className: "soft small" }, one.why),
    ...one.turns.slice(same).map((turn, n) => turnView(one, turn, same + n + 1, true)));
  return [...talk.turns.slice(0, same).map((turn, n) => turnView(talk, turn, n + 1, true)),
    el("div", { className: "sides" }, side(before, data.before?.id ?? "", "before"), side(talk, data.run.id, "after"))];
}

/** @param {Talk} talk */
function expectedView(talk) {
  const scenario = data.scenarios[talk.scenario];
  if (!scenario) return null;
  const answers = scenario.answers.filter((answer) => !talk.claims.some(([text]) => text === answer));
  const body = [
    scenario.goal ? el("p", { className: "soft" }, `${w("goal")}: ${scenario.goal}`) : null,
    ...answers.map((answer) => el("p", {}, answer)),
    talk.claims.length ? el("ul", {}, ...talk.claims.map(([text, how, told]) =>
      el("li", {}, el("span", { className: STATES[how][1] }, `${STATES[how][0]} ${told}`), ` ${text}`))) : null,
    scenario.documents.length ? el("p", { className: "soft small" }, `${w("expected_documents")}: ${scenario.documents.join(", ")}`) : null,
  ].filter(Boolean);
  return body.length ? el("section", { className: "expected", "aria-label": w("expected") }, el("h3", { className: "small soft" }, w("expected")), ...body) : null;
}

/**
 * The answer's text with what readers quote of it marked.
 * @param {Turn} turn @param {boolean} told
 */
function marked(turn, told) {
  let left = turn.bot ?? "";
  /** @type {Child[]} */
  const parts = [];
  const text = left;
  const quotes = told ? (turn.quotes ?? []) : [];
  for (const [quote, state] of [...quotes].sort((a, b) => text.indexOf(a[0]) - text.indexOf(b[0]))) {
    const at = left.indexOf(quote);
    if (at < 0) continue;
    parts.push(left.slice(0, at), el("mark", { className: state, title: w(`state.${state}`) }, quote));
    left = left.slice(at + quote.length);
  }
  return [...parts, left];
}

/** @param {Talk} talk @param {Turn} turn @param {number} n @param {boolean} told with scores and why */
function turnView(talk, turn, n, told) {
  const weak = told && (turn.flagged || (talk.shown === n && talk.result === "failed"));
  const blames = (turn.blames ?? []).map((name) => w(`fault.${name}`)).join(" · ");
  const score = turn.score === undefined ? "" : `${data.run.score_by} ${turn.score.toFixed(2)}${turn.raw ? ` (${turn.raw})` : ""}`;
  const values = data.run.metrics.map((name, at) => [name, turn.values?.[at]]).filter(([, value]) => value !== null && value !== undefined);
  return el("section", { className: "said", "aria-label": w("turn", { n }) },
    el("div", { className: "bubble user", role: "group", "aria-label": w("question"), dir: "auto" }, turn.user ?? ""),
    el("div", { className: `bubble bot${weak ? " weak" : ""}`, role: "group", "aria-label": w("answer"), dir: "auto" }, ...(turn.failure ? [turn.failure] : marked(turn, told))),
    el("div", { className: "beside" },
      weak && talk.shown === n && talk.turns.length > 1 ? el("p", { className: talk.result }, talk.why) : null,
      told && blames ? el("p", {}, `${w("blame")}: ${blames}`) : null,
      told && (turn.comment || score) ? el("p", { className: "soft" }, [score, turn.comment].filter(Boolean).join(" · ")) : null,
      ...(turn.soundness?.length ? [el("p", { className: "undecided" }, `${w("odd_user")}: ${turn.soundness.map((t) => w(`tag.${t}`)).join(" · ")}`)] : []),
      ...(turn.people ?? []).map((p) => el("p", {}, `${p.who}: ${p.word} ${p.comment || p.corrected} ${p.at.slice(0, 10)}`)),
      documentsView(turn),
      told && values.length > 1 ? el("details", {}, el("summary", {}, w("scores")),
        el("p", { className: "num" }, values.map(([name, value]) => `${name} ${Number(value).toFixed(2)}`).join("   "))) : null));
}

/** @param {Turn} turn @param {boolean} [open] */
function documentsView(turn, open = false) {
  const documents = (turn.documents ?? []).map((at) => data.documents[at]);
  if (!documents.length) return null;
  return el("details", { open },
    el("summary", {}, w("documents", { n: documents.length })),
    ...documents.map(([id, title, text]) => el("p", {}, el("strong", {}, [id, title].filter(Boolean).join(" ")), "\n", text)));
}

/** @param {string} text */
const quoted = (text) => /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;

/** @param {string} command */
function copyable(command) {
  const button = el("button", {
    type: "button",
    title: command,
    onclick: async () => {
      if (navigator.clipboard) await navigator.clipboard.writeText(command);
      else { // not on plain http
        getSelection()?.selectAllChildren(/** @type {Node} */ (button.previousSibling));
        document.execCommand("copy");
      }
      button.textContent = w("copied");
    },
  }, w("copy"));
  return el("p", { className: "copy no-print" }, el("code", {}, command), button);
}

/* ---- review ---- */

/** @type {Map<string, string>} */
const here = new Map(); // what the browser does not keep

/**
 * What is kept beside this tab, in all tabs of this address: pages that are files share one.
 * @param {string} key
 */
function recall(key) {
  try {
    return here.get(key) ?? localStorage.getItem(key) ?? "";
  } catch { // it is switched off
    return here.get(key) ?? "";
  }
}

/** @param {string} key @param {string} value */
function remember(key, value) {
  try {
    localStorage.setItem(key, value);
    here.delete(key);
  } catch { // or full
    here.set(key, value);
  }
}

/** @param {string} key */
function forget(key) {
  here.delete(key);
  try {
    localStorage.removeItem(key);
  } catch { // it was never there
  }
}

const NAME = "mogi:reviewer";
const me = () => recall(NAME);
/** @param {"edit:" | "given:" | "pair:" | "verdicts"} what */
const keyOf = (what) => `mogi:${data.run.id}:${what}`;

/** @param {"edit:" | "pair:"} what all keys of this kind */
function keysOf(what) {
  const keys = new Set(here.keys());
  try {
    for (const key of Object.keys(localStorage)) keys.add(key);
  } catch { // it is switched off
  }
  return [...keys].filter((key) => key.startsWith(keyOf(what))).sort();
}

/**
 * What people changed, as long as it is in no store and no file. Each edit stands under a key of its
 * own, which is written once: so no tab takes away what another one adds meanwhile.
 * @returns {[string, Edit][]} in the order in which it was changed
 */
function edits() {
  return keysOf("edit:").flatMap((key) => recall(key) ? [[key, JSON.parse(recall(key))]] : []);
}

/** Something is in no file and not in the store yet. */
const isOpen = () => edits().length + keysOf("pair:").length > 0;

/** @type {Record<string, Verdict>} */
let verdicts = {}; // with what was changed here
/** @type {Record<string, Verdict>} */
let stored = {}; // as the store of this server has them, as far as this tab has heard
/** @type {Set<string>} */
const offered = new Set(); // edits by key: the server may have them, though it never said so
let trouble = ""; // why nothing can be sent
let heard = ""; // for how many answers the last verdict holds
/** @type {{about: About, row: string, field: Field, before: string}[]} */
let done = []; // what can be undone
let place = 0;

/** @returns {{talk: Talk, turn: Turn, n: number, turns: number}[]} */
function queue() {
  const seen = new Set();
  const known = new Map(data.talks.map((talk) => [talk.key, talk]));
  return data.queue.flatMap(([key, n, turns]) => {
    const talk = known.get(key);
    const turn = talk?.turns[n - 1];
    if (!talk || !turn?.hash || seen.has(turn.same)) return [];
    seen.add(turn.same);
    return [{ talk, turn, n, turns }];
  });
}

/**
 * Whether people differ on a turn that they looked at.
 * @param {Turn} turn
 */
const isDisputed = (turn) => new Set((turn.people ?? []).map((p) => p.word).filter(Boolean)).size > 1 && !turn.people?.every((p) => p.folded);

/** @param {{episode: string, turn: number, reviewer: string, claim?: string}} one */
const nameOf = (one) => `${one.episode} ${one.turn} ${one.reviewer}${one.claim ? ` ${one.claim}` : ""}`;
/** @param {{talk: Talk, n: number}} row */
const name = ({ talk, n }) => `${talk.key} ${n} ${me()}`;
/** @param {Verdict | undefined} verdict */
const isGiven = (verdict) => Boolean(verdict?.verdict);

/** Of each answer that the review shows what the store has of it. */
function inStore() {
  const people = queue().flatMap(({ talk, turn, n }) => (turn.people ?? []).map((p) => ({
    run: data.run.id, episode: talk.key, turn: n, hash: turn.hash ?? "", verdict: p.word, error_type: p.error_type,
    corrected: p.corrected, comment: p.comment, reviewer: p.who, at: p.at })));
  return Object.fromEntries(people.map((one) => [nameOf(one), one]));
}

/** What is known by now, with what was changed here. */
function known() {
  /** @type {Record<string, Verdict>} */
  const all = token ? { ...stored } : JSON.parse(recall(keyOf("verdicts")) || "{}");
  for (const [, { run, episode, turn, hash, claim, reviewer, at, field, value }] of edits()) {
    const about = { run, episode, turn, hash, reviewer, ...(claim ? { claim } : {}) };
    const key = nameOf(about);
    all[key] = { ...EMPTY, ...all[key], ...about, [field]: value, at };
  }
  return all;
}

/** Show it anew, unless somebody is typing. */
function news() {
  verdicts = known();
  const at = document.activeElement;
  if (location.hash.startsWith("#review") && !(at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement)) again();
}

/** @param {Stored} one @returns {Verdict} */
const ofStore = ({ word, episode, turn, error_type, corrected, comment, reviewer, at, claim }) => ({
  run: data.run.id, episode, turn, hash: data.talks.find((talk) => talk.key === episode)?.turns[turn - 1]?.hash ?? "",
  verdict: word ?? "", error_type, corrected, comment, reviewer, at, ...(claim ? { claim } : {}) });

/**
 * Take over what the store has by now; of an answer that came several times at the place where it is judged.
 * @param {Stored[]} some in the order in which they were given
 */
function learn(some) {
  const talks = new Map(data.talks.map((talk) => [talk.key, talk]));
  const rows = new Map(queue().map((row) => [row.turn.same, row]));
  for (const one of some) {
    const row = rows.get(talks.get(one.episode)?.turns[one.turn - 1]?.same);
    const place = row ? { episode: row.talk.key, turn: row.n } : {};
    const verdict = { ...ofStore(one), ...place };
    stored[nameOf(verdict)] = verdict;
    last = Math.max(last, Date.parse(one.at) || 0); // what is changed here from now on is later, whatever the clock says
  }
  news();
}

/** @param {number} from the place of the first answer from there on that has no verdict; none: the same */
const nextOpen = (from) => firstFrom(queue(), from, (row) => !isGiven(verdicts[name(row)])) ?? place;

/**
 * The place of the first from there on, and around, that is so.
 * @template T @param {T[]} rows @param {number} from @param {(row: T) => boolean} isSo
 */
const firstFrom = (rows, from, isSo) => [...rows.keys()].map((n) => (from + n) % rows.length).find((at) => isSo(rows[at]));

/** @param {number} n @param {number} of how far somebody is */
const progress = (n, of) => [el("span", { className: "num" }, w("progress", { n, of })),
  el("progress", { value: n, max: of, "aria-label": w("progress", { n, of }) })];

/**
 * Keep that a person changed a field, and send it where there is a server.
 * @param {About} about @param {Field} field @param {string} value
 * @param {string} shown what stood there
 * @param {number} [wait] milliseconds, for who is still typing
 */
function change(about, field, value, shown, wait = 0) {
  const at = now();
  const name = nameOf(about);
  // Whoever types on changes what was never sent: one edit is enough.
  const typed = edits().filter(([key, edit]) => edit.due > Date.now() + TYPING && !offered.has(key)
    && nameOf(edit) === name && edit.field === field && edit.value === shown);
  const seen = typed.length ? typed.flatMap(([, edit]) => edit.seen) : [shown];
  const due = token ? Date.now() + wait : NEVER;
  remember(`${keyOf("edit:")}${at} ${random()}`, JSON.stringify({ ...about, at, field, value, seen, due }));
  for (const [key] of typed) forget(key);
  verdicts = known();
  soon(wait);
}

/** @type {number} */
let timer;
/** @param {number} wait milliseconds @param {boolean} [asks] */
function soon(wait, asks = false) {
  clearTimeout(timer);
  if (token) timer = window.setTimeout(() => send({ asks }), wait);
}

/**
 * What is not in the store yet, though it was given before this tab or this server was there; one
 * tab at a time, so what another tab hears of the store is never older than what it heard before.
 * @param {{asks?: boolean, all?: boolean}} [how] asks: also if there is nothing to send; all: also what may be typed on
 */
async function send(how = {}) {
  if (token) await navigator.locks.request(`mogi:${data.run.id}`, () => sendSome(how)); // a file has no server
}

let alone = false; // one after another, since something among several was refused
/** @type {Set<string>} */
const refused = new Set(); // edits by key

/** @param {{asks?: boolean, all?: boolean}} how */
async function sendSome({ asks, all }) {
  const waiting = edits().filter(([key, edit]) => edit.reviewer && !refused.has(key));
  /** @type {Map<string, [string, Edit][]>} */
  const fields = new Map(); // a field that was changed several times is sent once
  for (const [key, edit] of waiting) {
    if (edit.due > Date.now() && !all) continue;
    const field = `${edit.field} ${nameOf(edit)}`;
    fields.set(field, [...fields.get(field) ?? [], [key, edit]]);
  }
  const batch = [...fields.values()].slice(0, alone ? 1 : AT_ONCE);
  if (!batch.length && !asks) return later(waiting);
  const sent = batch.map((some) => {
    const { field, due: _, ...last } = some[some.length - 1][1];
    const seen = [...new Set(some.flatMap(([, edit]) => [...edit.seen, edit.value]))].slice(-SEEN);
    return { ...last, field: field === "verdict" ? "word" : field, seen };
  });
  for (const [key] of batch.flat()) offered.add(key);
  try {
    const { newer, given } = await (await ask("verdicts", JSON.stringify({ reviewer: me(), edits: sent }))).json();
    remember(keyOf("given:"), JSON.stringify(given)); // for other tabs, before it is an edit no more
    const kept = new Set(newer.map((/** @type {{edit: number}} */ one) => one.edit));
    for (const [key] of batch.filter((_, n) => !kept.has(n)).flat()) forget(key);
    trouble = "";
    learn(given);
    status(isOpen() ? "" : w("stored"));
    if (newer.length) choose(batch[newer[0].edit][0][1], newer[0]);
    else later(waiting);
  } catch (error) {
    const isRefused = error instanceof Trouble && error.kind === "refused";
    if (isRefused && batch.length === 1) for (const [key] of batch[0]) refused.add(key);
    trouble = sentence(error);
    status("");
    alone = isRefused && batch.length > 1;
    soon(isRefused ? 0 : 5_000, !isRefused);
  }
}

/**
 * Send the rest once it is due.
 * @param {[string, Edit][]} waiting
 */
function later(waiting) {
  const due = waiting.filter(([key]) => recall(key)).map(([, edit]) => edit.due);
  if (due.length) soon(Math.max(0, Math.min(...due) - Date.now()));
}

/**
 * Somewhere else the same person changed this field meanwhile: which one holds?
 * @param {Edit} edit @param {{value: string, at: string}} theirs
 */
function choose(edit, theirs) {
  const { field } = edit;
  const name = nameOf(edit);
  const mine = () => edits().filter(([, one]) => nameOf(one) === name && one.field === field);
  const shown = mine(); // another tab of theirs may add to it, or send it, while this is asked
  const last = shown.at(-1)?.[1];
  if (!last || document.querySelector("dialog.newer")) return;
  const [claim] = data.talks.find((talk) => talk.key === edit.episode)?.claims.find(([, , , , id]) => id === edit.claim) ?? [];
  /** @param {string} label @param {{value: string, at: string}} one */
  const side = (label, { value, at }) => el("p", {}, el("strong", {}, `${label}: `), said({ ...EMPTY, [field]: value }),
    el("span", { className: "soft" }, ` ${new Date(at).toLocaleString(data.run.language)}`));
  let isSettled = false;
  /** @param {() => void} settle */
  const settler = (settle) => () => {
    settle();
    isSettled = true;
    verdicts = known();
    box.close();
  };
  const keepTheirs = settler(() => shown.forEach(([key]) => forget(key)));
  const takeMine = settler(() => { if (mine().at(-1)?.[1].at === last.at) change(edit, field, last.value, theirs.value); });
  const box = /** @type {HTMLDialogElement} */ (el("dialog", { className: "newer", "aria-label": w("newer") }, el("h2", {}, w("newer")),
    el("p", { className: "soft" }, [edit.episode, w("turn", { n: edit.turn }), claim].filter(Boolean).join(" · ")), side(w("in_store"), theirs), side(w("yours"), last),
    el("p", { className: "choices" }, el("button", { type: "button", onclick: keepTheirs }, w("keep_stored")),
      el("button", { type: "button", onclick: takeMine }, w("replace")))));
  box.addEventListener("close", () => {
    box.remove();
    if (location.hash.startsWith("#review")) again();
    soon(isSettled ? 0 : 30_000); // who decides nothing is asked again
  });
  document.body.append(box);
  box.showModal();
}

/** @param {Pick<Verdict, Field>} verdict */
function said({ verdict, error_type: fault, corrected, comment }) {
  const parts = [verdict && w(`word.${verdict}`), fault && w(`fault.${fault}`), corrected && `${w("corrected")}: ${corrected}`, comment && `${w("comment")}: ${comment}`];
  return parts.filter(Boolean).join(" · ") || "–";
}

let last = 0;
/** Now, and later than ever before: edits stand in the order of their times. */
function now() {
  last = Math.max(Date.now(), last + 1);
  return new Date(last).toISOString().replace("Z", "+00:00");
}

/** @param {string} text */
function status(text) {
  const line = document.getElementById("status");
  if (line) line.textContent = [heard, trouble, text].filter(Boolean).join(" · ");
}

function reviewDoor() {
  const rows = queue();
  if (!rows.length) {
    main.replaceChildren(el("p", {}, w("nothing_to_review")));
    return null;
  }
  verdicts = known(); // another tab may have judged just now
  place = Math.min(Math.max(place, 0), rows.length - 1);
  const row = rows[place];
  const { talk, turn, n } = row;
  const old = turn.people ?? [];
  const given = rows.filter((each) => isGiven(verdicts[name(each)])).length;
  const mine = verdicts[name(row)];
  const who = /** @type {HTMLInputElement} */ (el("input", {
    id: "reviewer", value: me(), autocomplete: "name", placeholder: w("your_name"), "aria-describedby": "leave",
    onchange: () => {
      rename(me(), who.value.trim().replace(/\s+/g, " ")); // as the store writes it
      void send({ asks: true });
      setTimeout(again); // the focus has moved on by then
    },
  }));

  /** @param {Field} field @param {string} value @param {string} shown @param {string} [claim] */
  const give = (field, value, shown, claim = "") => {
    const about = { run: data.run.id, episode: talk.key, turn: n, hash: turn.hash ?? "", claim, reviewer: me() };
    const typing = field === "comment" || field === "corrected";
    const same = done.at(-1);
    if (!typing || !same || nameOf(same.about) !== nameOf(about) || same.field !== field) done.push({ about, row: name(row), field, before: shown });
    change(about, field, value, shown, typing ? 2 * TYPING : 0);
  };
  const naming_ = () => {
    who.focus();
    status(w("name_first"));
  };
  /** @param {string} word */
  const say = (word) => {
    if (!me()) return naming_();
    give("verdict", word, mine?.verdict ?? "");
    const more = said({ ...verdicts[name(row)], verdict: "" });
    heard = [w("holds", { word: w(`word.${word}`), n: row.turns }), more === "–" ? "" : more].filter(Boolean).join(" · ");
    goTo(nextOpen(place + 1));
    setTimeout(() => status("")); // what is there from the start is not read out
  };
  /** @param {"corrected" | "comment"} field */
  const field = (field) => {
    let shown = mine?.[field] ?? "";
    return el("label", {}, keyed(w(field), field === "corrected" ? "c" : "m"), el("textarea", {
      id: field, placeholder: w("leave_field"), value: shown, oninput: (/** @type {Event} */ event) => {
        const text = /** @type {HTMLTextAreaElement} */ (event.target).value;
        give(field, text, shown);
        shown = text;
      },
    }));
  };
  const types = el("select", {
    id: "error_type", onchange: (/** @type {Event} */ event) => {
      give("error_type", /** @type {HTMLSelectElement} */ (event.target).value, mine?.error_type ?? "");
      again();
    },
  }, el("option", { value: "" }, "–"), ...data.review.error_types.map((blame) => el("option", { value: blame, selected: mine?.error_type === blame }, w(`fault.${blame}`))));
  const reveal = isGiven(mine) || !data.review.blind;
  /**
   * What a person says of one claim, as buttons; after the verdict also what was read in this answer.
   * @param {Talk["claims"][0]} claim
   */
  const ofClaim = ([text, ofTalk, told, , id]) => {
    const [, state, says] = talk.turns.length > 1 ? turn.read?.find(([claim]) => claim === id) ?? [] : [id, ofTalk, told];
    const word = verdicts[`${name(row)} ${id}`]?.verdict ?? "";
    /** @param {string} one @param {string} mark */
    const button = (one, mark) => el("button", {
      type: "button", id: `${id} ${one}`, className: "mark", "aria-pressed": String(word === one), "aria-label": `${w(`claim.${one}`)}: ${text}`,
      title: w(`claim.${one}`), onclick: () => {
        if (!me()) return naming_();
        give("verdict", word === one ? "" : one, word, id);
        again();
      },
    }, mark);
    return [button("OK", "✓"), button("NG", "✗"), ` ${text} `, reveal && state && el("span", { className: `small ${STATES[state][1]}` }, says)];
  };
  main.replaceChildren(el("div", { className: "review" },
    el("div", { className: "who" },
      el("label", { for: "reviewer", className: "soft small" }, w("reviewer")), who,
      el("span", { id: "leave", className: "soft small" }, el("kbd", {}, "Enter"), ` ${w("leave_name")}`),
      ...progress(given, rows.length),
      el("button", { type: "button", id: "save", onclick: save }, w("save")),
      el("button", { type: "button", onclick: help }, w("help"), " ", el("kbd", {}, "?"))),
    el("p", { id: "status", role: "status", className: "soft small" }),
    data.review.policy ? el("p", { id: "policy", className: "small" }, data.review.policy) : null,
    el("div", { className: "judge" },
      el("section", { id: "judged", "aria-label": w("answer"), tabIndex: -1 },
        n > 1 ? el("details", {}, el("summary", {}, w("so_far", { n: n - 1 })),
          ...talk.turns.slice(0, n - 1).map((each, at) => turnView(talk, each, at + 1, false))) : null,
        el("h2", {}, w("question")),
        el("p", { className: "bubble user", dir: "auto" }, turn.user ?? ""),
        el("h2", {}, w("answer")),
        el("div", { className: "answer", dir: "auto" }, turn.bot ?? "")),
      el("section", {}, plainExpected(talk, ofClaim), documentsView(turn, true)),
      el("section", {},
        reveal ? el("section", { className: "expected", "aria-label": w("judge") },
          el("p", {}, `${w("judge")}: `, turn.score === undefined ? w("no_score") : `${data.run.score_by} ${turn.score.toFixed(2)}${turn.raw ? ` (${turn.raw})` : ""}`, turn.comment ? ` — ${turn.comment}` : ""),
          ...old.map((p) => el("p", { className: "soft" }, `${p.who}: ${p.word} ${p.comment} ${p.at.slice(0, 10)}`))) : null,
        el("div", { className: "form" }, el("label", {}, keyed(w("error_type"), "e"), types), field("corrected"), field("comment")))),
    el("div", { className: "words", role: "group", "aria-label": w("verdict") }, ...Object.entries(WORDS).map(([key, word]) =>
      el("button", { type: "button", "aria-pressed": String(mine?.verdict === word), onclick: () => say(word) }, w(`word.${word}`), " ", el("kbd", {}, key))),
      el("button", { type: "button", id: "next", onclick: () => step(1) }, w("next"), " ", el("kbd", {}, "j"))),
    el("p", { className: "soft small" }, `${place + 1} / ${rows.length} · ${talk.scenario} · ${personaName(talk.persona)} · ${w("turn", { n })}`, row.turns > 1 ? ` · ${w("counts_for", { n: row.turns })}` : "")));
  if (trouble) setTimeout(() => status(""));
  return null;
}

/**
 * What is expected, each claim as `ofClaim` has it.
 * @param {Talk} talk
 * @param {(claim: Talk["claims"][0]) => Child[]} ofClaim
 */
function plainExpected(talk, ofClaim) {
  const scenario = data.scenarios[talk.scenario];
  if (!scenario) return null;
  const worded = talk.claims.filter((claim) => claim[3]);
  const refusal = scenario.escalate ? w("must_hand_over") : scenario.answerable === false ? w("must_refuse") : "";
  const body = [
    refusal ? el("p", {}, refusal) : null,
    ...scenario.answers.filter((answer) => !talk.claims.some(([text]) => text === answer)).map((answer) => el("p", {}, answer)),
    worded.length ? el("ul", {}, ...worded.map((claim) => el("li", {}, ...ofClaim(claim)))) : null,
    scenario.documents.length ? el("p", { className: "soft small" }, `${w("expected_documents")}: ${scenario.documents.join(", ")}`) : null,
  ].filter(Boolean);
  return body.length ? el("section", { className: "expected", "aria-label": w("expected") }, el("h2", {}, w("expected")), ...body) : null;
}

/**
 * Whoever mends a name has judged under it what nobody else has read yet.
 * @param {string} from
 * @param {string} to
 */
function rename(from, to) {
  if (from === to) return;
  remember(NAME, to);
  for (const [key, edit] of edits().filter(([, one]) => one.reviewer === from)) {
    change({ ...edit, reviewer: to }, edit.field, edit.value, "");
    forget(key);
  }
  verdicts = known();
}

/** Show it anew, with the focus where it is. */
function again() {
  const focused = document.activeElement?.id;
  route();
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {number} at */
function goTo(at) {
  place = at;
  route();
  scrollTo(0, 0);
  document.getElementById("judged")?.focus({ preventScroll: true });
}

/** @param {number} by */
function step(by) {
  heard = "";
  goTo(place + by);
}

/**
 * In the field of the name: Enter takes it and goes to the answers, and no key of a verdict begins it.
 * @param {HTMLInputElement} field
 * @param {KeyboardEvent} event
 */
function naming(field, event) {
  const isEmpty = !field.value.trim();
  if (event.isComposing || event.keyCode === 229 || !(event.key === "Enter" || (isEmpty && /^[123?]$/.test(event.key)))) return;
  event.preventDefault();
  if (isEmpty) return status(w("name_first"));
  field.blur(); // by which it is taken
  if (location.hash === "#expectations") showClaim(firstOpen());
  else goTo(nextOpen(0));
}

/**
 * What a field is called, and the key that leads there.
 * @param {string} text
 * @param {string} key
 */
function keyed(text, key) {
  return el("span", {}, text, " ", el("kbd", { ariaHidden: "true" }, key));
}

function undo() {
  const last = done.pop();
  if (!last) return;
  heard = w("undone");
  const shown = verdicts[nameOf(last.about)]?.[last.field] ?? "";
  if (last.before !== shown) change(last.about, last.field, last.before, shown);
  const at = queue().findIndex((row) => name(row) === last.row);
  goTo(at < 0 ? place : at);
  status(w("undone"));
}

function save() {
  const who = me();
  heard = "";
  if (!who) {
    document.getElementById("reviewer")?.focus();
    return status(w("name_first"));
  }
  refused.clear(); // they are tried once more
  if (token) return void send({ all: true }).then(() => status(isOpen() ? "" : w("stored")));
  const mine = Object.values(verdicts).filter((one) => one.reviewer === who);
  const lines = mine.filter((one) => one.verdict || one.corrected || one.comment || one.error_type);
  if (!lines.length) return status(w("nothing_yet"));
  const file = `mogi-verdicts-${data.run.id}-${who.replace(/[^\p{L}\p{N}_-]+/gu, "_")}.jsonl`;
  const url = URL.createObjectURL(new Blob([lines.map((one) => `${JSON.stringify(one)}\n`).join("")], { type: "application/x-ndjson" }));
  const link = /** @type {HTMLAnchorElement} */ (el("a", { href: url, download: file }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  const saved = Object.fromEntries(mine.map((one) => [nameOf(one), one]));
  remember(keyOf("verdicts"), JSON.stringify({ ...JSON.parse(recall(keyOf("verdicts")) || "{}"), ...saved }));
  for (const [key, edit] of edits()) if (edit.reviewer === who) forget(key);
  status(w("saved", { n: lines.length, file, command: `mogi review pull ${data.run.id} --from ${file}` }));
}

function help() {
  helpBox(
    [...data.review.rules.map(([name, says]) => el("p", {}, el("strong", {}, name), ` ${says}`)),
      data.review.blind ? el("p", { className: "soft" }, w("blind")) : null],
    [["Enter", w("leave_name")], ["✓ ✗", w("claim_keys")], ["1", w("word.OK")], ["2", w("word.NG")], ["3", w("word.unsure")], ["c", w("corrected")], ["e", w("error_type")],
      ["m", w("comment")], ["Esc", w("leave_field")], ["j / k", w("next_back")], ["u", w("undo")], ["s", w("save")], ["?", w("help")]]);
}

/** @param {Child[]} about @param {string[][]} keys */
function helpBox(about, keys) {
  const box = /** @type {HTMLDialogElement} */ (el("dialog", { "aria-label": w("help") }, el("h2", {}, w("help")), ...about,
    el("dl", { className: "keys" }, ...keys.flatMap(([key, does]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, does)])),
    el("button", { type: "button", onclick: () => box.close() }, w("close"))));
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
}

/** What each key does where expectations are confirmed. */
const CLAIM_KEYS = /** @type {Record<string, () => void>} */ ({
  y: () => decide({ decision: "ok" }), x: () => decide({ decision: "strike" }), j: () => stepClaim(1), k: () => stepClaim(-1), "?": claimHelp,
  ...Object.fromEntries(Object.entries({ e: "corrected", o: "alternative", a: "new", m: "comment" }).map(([key, id]) => [key, () => document.getElementById(id)?.focus()])),
});

/** @param {number} n which of the buttons at the end is pressed */
const wordButton = (n) => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".words button"))[n].click();

/** What each key does where answers are compared. */
const PAIR_KEYS = /** @type {Record<string, () => void>} */ ({
  1: () => wordButton(0), 2: () => wordButton(1), 3: () => wordButton(2),
  j: () => showPair(pairAt + 1), k: () => showPair(pairAt - 1), "?": pairHelp,
});

addEventListener("keydown", (event) => {
  if (!data || event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  const door = doorOf(asked());
  const judges = door === "#review";
  if (door === "#lead") return;
  if (door === "#q=") {
    const step = /** @type {Record<string, number>} */ ({ j: 1, k: -1 })[event.key];
    if (!step || at instanceof HTMLInputElement || at instanceof HTMLSelectElement) return;
    event.preventDefault();
    return walk(step);
  }
  if (at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement) {
    const leaves = judges && at instanceof HTMLSelectElement && event.key in WORDS;
    if (event.key === "Escape" || leaves) at.blur();
    if (event.key === "Escape" && judges) news(); // of other tabs, meanwhile
    else if (at instanceof HTMLInputElement && at.id === "reviewer") naming(at, event);
    if (!leaves) return;
  }
  if (document.querySelector("dialog")) return;
  const press = judges ? /** @type {Record<string, () => void>} */ ({
    1: () => wordButton(0), 2: () => wordButton(1), 3: () => wordButton(2),
    j: () => step(1), k: () => step(-1), u: undo, s: save, "?": help,
    c: () => document.getElementById("corrected")?.focus(), e: () => document.getElementById("error_type")?.focus(),
    m: () => document.getElementById("comment")?.focus(),
  })[event.key] : door === "#pairs" ? PAIR_KEYS[event.key] : claims?.rows.length ? CLAIM_KEYS[event.key] : undefined;
  if (!press) return;
  event.preventDefault();
  press();
});
addEventListener("beforeunload", (event) => { if (data && isOpen()) event.preventDefault(); });
document.addEventListener("visibilitychange", () => { if (data && document.visibilityState === "visible") void send({ asks: true }); });
addEventListener("storage", ({ key }) => { // another tab has judged
  if (!data) return;
  if (key === keyOf("given:")) learn(JSON.parse(recall(key) || "[]"));
  else if (key?.startsWith(keyOf("edit:"))) news();
});

/* ---- expectations ---- */

/** @type {Claims | null} */
let claims = null; // where there is a server, and a client with something to confirm
let claimAt = 0;

/** @param {Claims} state */
function takeClaims(state) {
  claims = state;
  for (const [key, text] of Object.entries(state.words)) data.words[`x.${key}`] = text;
}

/** @param {Response} answer */
async function openClaims(answer) {
  takeClaims(await answer.json());
  claimAt = firstOpen();
  offer("#expectations", claims?.rows.length);
}

/** @param {string} door @param {number | undefined} count of what there is to decide */
function offer(door, count) {
  /** @type {HTMLElement} */ (doors.querySelector(`a[href="${door}"]`)).hidden = !count;
  if (location.hash === door) route();
}

/** @param {string} field */
const draftOf = (field) => `mogi:${data.run.client}:${claims?.rows[claimAt]?.cells.key}:${field}`;

/**
 * Say something about the claim that is shown, or with `bulk` about all others.
 * @param {Record<string, string>} said
 */
async function decide(said) {
  const row = claims?.rows[claimAt];
  if (!me()) {
    document.getElementById("reviewer")?.focus();
    return status(w("name_first"));
  }
  const about = row && said.decision !== "bulk" ? { scenario: row.scenario, claim: row.claim, before: row.worded ? row.cells.claim : "",
    kind: row.claim.slice(0, row.claim.lastIndexOf("-")), comment: recall(draftOf("comment")) } : {};
  const ahead = (claims?.rows ?? []).slice(claimAt + 1).filter((each) => each.open).map((each) => each.cells.key);
  const drafts = ["corrected", "alternative", "new", "comment"].map(draftOf);
  try {
    const answer = await ask("expectations", JSON.stringify({ ...about, reviewer: me(), ...said }));
    takeClaims(await answer.json());
  } catch (error) {
    return status(sentence(error));
  }
  const { rows, trouble } = /** @type {Claims} */ (claims);
  if (!trouble.length) for (const draft of drafts) remember(draft, "");
  heard = trouble.join(" ") || w("stored");
  const stays = said.decision === "add" || trouble.length ? [row?.cells.key ?? ""] : [];
  const places = new Map(rows.map((each, at) => [each.cells.key, at])); // those of a confirmed scenario are gone
  const next = [...stays, ...ahead].find((key) => places.has(key));
  showClaim(next === undefined ? firstOpen() : places.get(next) ?? 0);
}

function firstOpen() {
  return Math.max(0, (claims?.rows ?? []).findIndex((row) => row.open));
}

/** @param {number} n */
function showClaim(n) {
  claimAt = n;
  route();
  scrollTo(0, 0);
  document.getElementById("judged")?.focus({ preventScroll: true });
  setTimeout(() => status(""));
}

/**
 * A text with what is quoted of it marked.
 * @param {string} text @param {string} quotes a line each
 */
function quotedIn(text, quotes) {
  /** @type {Child[]} */
  const parts = [];
  for (const quote of quotes.split("\n").filter(Boolean)) {
    const at = text.indexOf(quote);
    if (at < 0) continue;
    parts.push(text.slice(0, at), el("mark", {}, quote));
    text = text.slice(at + quote.length);
  }
  return [...parts, text];
}

function claimsDoor() {
  const rows = claims?.rows ?? [];
  if (!claims || !rows.length) {
    main.replaceChildren(el("p", {}, w("x.page.none")));
    return;
  }
  claimAt = Math.min(Math.max(claimAt, 0), rows.length - 1);
  const { heads, drawn, judged, wrong } = claims;
  const row = rows[claimAt];
  const { cells } = row;
  const left = rows.filter((each) => each.open).length;
  const name = el("input", {
    id: "reviewer", value: me(), autocomplete: "name", placeholder: w("your_name"),
    onchange: (/** @type {Event} */ event) => remember(NAME, /** @type {HTMLInputElement} */ (event.target).value.trim()),
  });
  /** @param {string} id @param {string} label @param {string} key @param {() => void} [save] @param {string} [text] */
  const field = (id, label, key, save, text = "") => el("label", {}, keyed(label, key), el("textarea", {
    id, placeholder: save ? w("x.page.save") : "", value: recall(draftOf(id)) || text,
    oninput: (/** @type {Event} */ event) => remember(draftOf(id), /** @type {HTMLTextAreaElement} */ (event.target).value),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save?.();
    },
  }), save ? el("button", { type: "button", onclick: save }, w("save")) : null);
  /** @param {string} id */
  const typed = (id) => /** @type {HTMLTextAreaElement} */ (document.getElementById(id)).value.trim();
  /** @param {string} id @param {string} decision */
  const saver = (id, decision) => () => {
    if (!typed(id)) return;
    /** @type {Record<string, string>} */
    const kind = id === "new" ? { claim: "+", before: "", kind: /** @type {HTMLSelectElement} */ (document.getElementById("kind")).value } : {};
    decide(id === "corrected" && typed(id) === cells.claim ? { decision: "ok" } : { decision, text: typed(id), ...kind });
  };
  const upper = claims.upper === null ? "" : w("x.upper", { upper: `${Math.ceil(100 * claims.upper)} %` });
  main.replaceChildren(el("div", { className: "review" },
    el("div", { className: "who" },
      el("label", { for: "reviewer", className: "soft small" }, heads.reviewer), name,
      ...progress(rows.length - left, rows.length),
      el("button", { type: "button", onclick: claimHelp }, w("help"), " ", el("kbd", {}, "?"))),
    el("p", { className: "small" }, [w("x.sample", { judged, drawn, wrong }), upper].filter(Boolean).join(" · "), " ",
      claims.bulk ? el("button", { type: "button", id: "bulk", onclick: () => decide({ decision: "bulk" }) }, w("x.page.bulk", { n: claims.bulk })) : null),
    el("p", { id: "status", role: "status", className: "soft small" }),
    el("div", { className: "judge" },
      el("section", { id: "judged", "aria-label": heads.claim, tabIndex: -1 },
        el("h2", {}, heads.question), el("p", { className: "bubble user", dir: "auto" }, cells.question),
        el("h2", {}, `${heads.claim} · ${cells.kind}`), el("div", { className: "answer", dir: "auto" }, cells.claim)),
      el("section", {}, el("h2", {}, heads.entry), el("div", { className: "bubble", dir: "auto" }, ...quotedIn(cells.entry, cells.quote)),
        cells.entry.includes(cells.quote.split("\n")[0]) ? null : el("p", { className: "bubble", dir: "auto" }, cells.quote)),
      el("section", {}, el("div", { className: "form" },
        row.worded ? field("corrected", heads.corrected, "e", saver("corrected", "change"), cells.claim) : null,
        row.worded ? field("alternative", heads.alternative, "o", saver("alternative", "ok")) : null,
        field("new", w("x.page.add"), "a", saver("new", "add")),
        el("label", {}, el("span", {}, `${heads.kind} (${w("x.page.add")})`), el("select", { id: "kind" }, ...["says", "must_not"].map((kind) => el("option", { value: kind }, w(`x.kind.${kind}`))))),
        field("comment", heads.comment, "m")))),
    el("div", { className: "words", role: "group", "aria-label": heads.check },
      el("button", { type: "button", "aria-pressed": String(!row.open), onclick: () => decide({ decision: "ok" }) }, w("x.check.ok"), " ", el("kbd", {}, "y")),
      el("button", { type: "button", onclick: () => decide({ decision: "strike" }) }, w("x.check.strike"), " ", el("kbd", {}, "x")),
      el("button", { type: "button", id: "next", onclick: () => stepClaim(1) }, w("next"), " ", el("kbd", {}, "j"))),
    el("p", { className: "soft small" }, [`${claimAt + 1} / ${rows.length}`, cells.drawn, cells.scenario, cells.reviewer].filter(Boolean).join(" · "))));
}

/** @param {number} by */
function stepClaim(by) {
  heard = "";
  showClaim(Math.min(Math.max(claimAt + by, 0), (claims?.rows.length ?? 1) - 1));
}

function claimHelp() {
  const { heads } = /** @type {Claims} */ (claims);
  helpBox([el("p", {}, w("x.page.policy"))], [["y", w("x.check.ok")], ["x", w("x.check.strike")], ["e", heads.corrected], ["o", heads.alternative],
    ["a", w("x.page.add")], ["m", heads.comment], ["Ctrl + Enter", w("save")], ["Esc", w("leave_field")], ["j / k", w("next_back")], ["?", w("help")]]);
}

/* ---- answers between which a person decides ---- */

/** @type {Pairs | null} */
let pairs = null; // where there is a server, and a proof that left some
let pairAt = 0;

/** @param {PairRow} row what was chosen of it, also if the server does not know that yet */
const rightOf = ({ key, right }) => recall(keyOf("pair:") + key) || right;

/** @param {Response} answer */
async function openPairs(answer) {
  pairs = /** @type {Pairs} */ (await answer.json());
  pairAt = firstFrom(pairs.rows, 0, (row) => !rightOf(row)) ?? 0;
  offer("#pairs", pairs.rows.length);
  void sendPairs();
}

/** @param {string} right */
function choosePair(right) {
  const { rows } = /** @type {Pairs} */ (pairs);
  remember(keyOf("pair:") + rows[pairAt].key, right);
  showPair(firstFrom(rows, pairAt + 1, (row) => !rightOf(row)) ?? pairAt);
  void sendPairs();
}

/** @type {number} */
let pairTimer;
/** Send what was chosen; it is kept until the server has it. */
async function sendPairs() {
  clearTimeout(pairTimer);
  const chosen = keysOf("pair:").map((key) => [key, recall(key)]);
  if (!chosen.length) return;
  try {
    const choices = Object.fromEntries(chosen.map(([key, right]) => [key.slice(keyOf("pair:").length), right]));
    pairs = await (await ask("pairs", JSON.stringify({ choices }))).json();
    for (const [key, right] of chosen) if (recall(key) === right) forget(key);
    [trouble, heard] = ["", w("stored")];
  } catch (error) {
    [trouble, heard] = [sentence(error), ""];
    if (!(error instanceof Trouble && error.kind === "refused")) pairTimer = window.setTimeout(sendPairs, 5_000);
  }
  if (doorOf(asked()) === "#pairs") again();
}

/** @param {number} at */
function showPair(at) {
  pairAt = Math.min(Math.max(at, 0), (pairs?.rows.length ?? 1) - 1);
  heard = "";
  again();
  scrollTo(0, 0);
  document.getElementById("judged")?.focus({ preventScroll: true });
}

function pairsDoor() {
  const { heads, choices, rows, chosen } = /** @type {Pairs} */ (pairs);
  const row = rows[pairAt];
  const { question, before, after, why } = row.pair;
  /** @param {string} head @param {string} text */
  const side = (head, text) => el("section", {}, el("h2", {}, head), el("div", { className: "answer", dir: "auto" }, text));
  main.replaceChildren(el("div", { className: "review pair" },
    el("div", { className: "who" }, ...progress(rows.filter(rightOf).length, rows.length),
      el("button", { type: "button", onclick: pairHelp }, w("help"), " ", el("kbd", {}, "?"))),
    el("p", { id: "status", role: "status", className: "soft small" }),
    el("section", { id: "judged", "aria-label": heads.question, tabIndex: -1 },
      el("h2", {}, heads.question), el("p", { className: "bubble user", dir: "auto" }, question),
      el("p", { className: "soft small" }, `${heads.why}: ${why}`)),
    el("div", { className: "sides" }, side(heads.before, before), side(heads.after, after)),
    el("div", { className: "words", role: "group", "aria-label": heads.right },
      ...Object.entries(choices).map(([right, text], n) => el("button", {
        type: "button", "aria-pressed": String(rightOf(row) === right), onclick: () => choosePair(right),
      }, text, " ", el("kbd", {}, String(n + 1)))),
      el("button", { type: "button", id: "next", onclick: () => showPair(pairAt + 1) }, w("next"), " ", el("kbd", {}, "j"))),
    el("p", { className: "soft small" }, `${pairAt + 1} / ${rows.length}`),
    chosen && el("p", {}, chosen), chosen && copyable(`mogi improve ${data.run.id} --fix`)));
  setTimeout(() => status(""));
}

function pairHelp() {
  const { heads, choices } = /** @type {Pairs} */ (pairs);
  helpBox([el("p", {}, heads.right)], [...Object.values(choices).map((text, n) => [String(n + 1), text]),
    ["j / k", w("next_back")], ["?", w("help")]]);
}

/* ---- which door ---- */

function asked() {
  const parts = location.hash.slice(1).split("&").filter(Boolean).map((part) => part.split("="));
  return new Map(parts.map(([key, ...value]) => [key, decode(value.join("="))]));
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {Map<string, string>} where */
const address = (where) => ["q", "e"].filter((key) => where.has(key)).map((key) => `${key}=${encodeURIComponent(where.get(key) ?? "")}`).join("&");

/** @param {Map<string, string>} where */
const doorOf = (where) => where.has("review") ? "#review" : where.has("expectations") ? "#expectations" : where.has("pairs") && pairs?.rows.length ? "#pairs" : where.has("q") || where.has("e") ? "#q=" : "#lead";

function route() {
  const where = asked();
  const door = doorOf(where);
  for (const link of doors.querySelectorAll("a")) {
    if (link.getAttribute("href") === door) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (door === "#review") reviewDoor();
  else if (door === "#expectations") claimsDoor();
  else if (door === "#pairs") pairsDoor();
  else if (door === "#q=") talksDoor(where);
  else if (lead) main.replaceChildren(lead);
}

load().then(async (loaded) => {
  data = loaded;
  if (token) ask("expectations").then(openClaims, () => null); // none: its client is not at hand
  if (token) ask("pairs").then(openPairs).catch(() => null);
  stored = inStore();
  verdicts = known();
  place = nextOpen(0);
  // What another tab sent while this one was loading is shown before anything is judged here.
  if (token) await Promise.race([send({ asks: true }), new Promise((resolve) => setTimeout(resolve, 2_000))]);
  if (trouble) learn(JSON.parse(recall(keyOf("given:")) || "[]"));
  doors.hidden = false;
  const disputed = data.talks.flatMap((talk) => talk.turns).filter(isDisputed).length;
  if (disputed) doors.append(el("a", { href: "#q=people%3Adiffer" }, w("disputed", { n: disputed })));
  const which = /** @type {HTMLElement} */ (document.getElementById("which"));
  if (!which.textContent) which.append(el("strong", {}, data.run.client), ` ${w("run", { id: data.run.id })}`);
  addEventListener("hashchange", () => { if (location.hash !== "#main") { route(); scrollTo(0, 0); } });
  route();
  document.documentElement.dataset.ready = "1";
  if (token) compared().catch(() => {}); // then it is said of nothing that it changed
}).catch((error) => {
  main.querySelector(":scope > [role=status]")?.remove();
  main.prepend(el("p", { className: "failed", role: "alert" }, sentence(error)));
});
