/* The page of one report. */
"use strict";

const report = embedded("report"), rows = embedded("rows"), skids = embedded("skids"), labels = embedded("labels"),
      levels = embedded("levels");
const chosen = {
  verdict: "",
  suite: ""
};

const onProcessor = item => item.processor === undefined ? "" : labels[item.processor] ?? `processor ${item.processor}`;
const level = check => levels.brief[check.level] ?? check.level ?? "";

function observedText(o) {
  return (o.values.slice(0, 4).map(([value, times]) => o.total == 1 ? value : `${value} x${times}`).join(", ") +
             (o.distinct > 4 ? `, ... (${o.min}..${o.max})` : "")) ||
      "nothing";
}

function checkDetail({check}) {
  const told = [
    ["manual", check.manual], ["encoding", check.encoding], ["share of the bracket", check.share], ["bias", check.bias],
    ["slope", check.slope && `${check.slope[0]}/${check.slope[1]}`],
    [
      "counted by",
      check.virtual ? check.machine_model ? "a virtual PMU, from a machine model" : "a virtual PMU" : "silicon"
    ],
    ["why", check.text]
  ].filter(([, value]) => value !== undefined);
  const lines =
      told.map(([name, value]) => element("div", {}, element("b", {textContent: `${name}: `}), String(value)));

  return element(
      "div", {className: "check"}, ...lines, check.observations.length ? observations(check.observations) : "");
}

/* Every check of a row; those of the chosen verdict, if one is. */
function rowDetail(row) {
  const place = element("table"), whole = element("div", {}, place);
  const found = row.checks.map(([s, c, deciding]) => ({check: report.suites[s].checks[c], deciding}))
                    .filter(({check}) => !chosen.verdict || check.verdict === chosen.verdict)
                    .map(({check, deciding}) => {
                      const o = check.observations[deciding],
                            name = check.name.startsWith(`${row.subject}/`) ? check.name.slice(row.subject.length + 1) :
                                                                              check.name;

                      return {
                        check,
                        verdict: check.verdict,
                        name,
                        counter: check.counter ?? "-",
                        kernel: check.kernel ?? "-",
                        level: level(check) || "-",
                        n: o?.n,
                        expected: o ? expectedText(o) : "-",
                        observed: o ? observedText(o) : "-",
                        text: check.text ?? ""
                      };
                    });

  makeTable(place,
      [
        verdictColumn("verdict", "verdict"), textColumn("check", "name"), textColumn("counter", "counter"),
        textColumn("kernel", "kernel"), textColumn(levels.heading, "level"), numberColumn("N", "n"),
        textColumn("expected", "expected"), textColumn("observed", "observed"), textColumn("why", "text")
      ],
      found, {detail: checkDetail, order: [[0, "asc"]]});
  return whole;
}

/* Sorted by how many there are. */
function tallyText(tally, use) {
  if (use === "sort" || use === "type")
    return tally.reduce((sum, [, n]) => sum + n, 0);
  return tally.map(([verdict, n]) => `${n} ${escaped(verdict)}`).join(", ");
}

const whyText = row => escaped((row.such_as ? `such as ${row.such_as}: ` : "") + row.why);

const eventTable = makeTable(
    "#events",
    [
      verdictColumn("verdict", "verdict"), textColumn("suite", "suite"), textColumn("event or check", "subject"),
      textColumn("counters", "counters"), textColumn("kernels", "kernels"), textColumn(levels.heading, "levels"),
      {title: "checks", data: "tally", render: tallyText}, {title: "why", data: null, render: whyText},
      textColumn("", "all_kernels", {visible: false})
    ],
    rows, {detail: rowDetail, order: [[0, "asc"]], more: {always: true}});

function isChosen(row) {
  return (!chosen.verdict || row.tally.some(([v]) => v === chosen.verdict)) &&
      (!chosen.suite || row.suite === chosen.suite);
}

$.fn.dataTable.ext.search.push(
    (settings, words, index, row) => settings.nTable.id !== "events" || isChosen(row));

function choose(what) {
  Object.assign(chosen, what);
  for (const tile of document.querySelectorAll("#tiles .tile"))
    tile.setAttribute("aria-pressed", String(tile.dataset.verdict === chosen.verdict));
  document.getElementById("suite").value = chosen.suite;
  /* What is open shows the checks of another choice. */
  for (const tr of document.querySelectorAll("#events > tbody > tr.open")) eventTable.toggleRow(tr);
  eventTable.draw();
}

for (const suite of new Set(rows.map(row => row.suite)))
  document.getElementById("suite").append(element("option", {value: suite, textContent: suite}));
document.getElementById("suite").addEventListener("change", event => choose({suite: event.target.value}));
document.getElementById("everything").addEventListener("click", () => {
  eventTable.search("");
  choose({verdict: "", suite: ""});
});
for (const tile of document.querySelectorAll("#tiles .tile"))
  tile.addEventListener(
      "click", () => choose({verdict: tile.dataset.verdict === chosen.verdict ? "" : tile.dataset.verdict}));

/* From the summary to the row, opened. */
for (const link of document.querySelectorAll("#off [data-row]"))
  link.addEventListener("click", event => {
    const position = Number(link.dataset.row);

    event.preventDefault();
    eventTable.search("");
    choose({verdict: "", suite: ""});
    eventTable.page(Math.floor(eventTable.rows({order: "current"}).indexes().indexOf(position) / eventTable.page.len()))
        .draw("page");
    const tr = eventTable.row(position).node();

    if (!tr.classList.contains("open"))
      eventTable.toggleRow(tr);
    tr.scrollIntoView({block: "start"});
  });

for (const skid of skids) {
  const title = `${skid.suite}: ${skid.name}: ${skid.value}`;
  const o = skid.check && report.suites[skid.check[0]].checks[skid.check[1]].observations[0];

  document.getElementById("distributions")
      .append(o?.values.length ? histogram(o, title, skid.value.includes("instruction") ? "instructions" : "value") :
                                 element("div", {className: "chart"}, element("p", {textContent: title})));
}

whenOpened("shares",
    table => makeTable(table,
        [
          textColumn("event", "event"), textColumn("counter", "counter"), textColumn("mechanism", "mechanism"),
          textColumn("processor", onProcessor), numberColumn("implied by the code", "implied"),
          numberColumn("measured", "share"), textColumn("state", "state"), textColumn("encoding", "encoding")
        ],
        report.shares, {
          detail: share => element("div", {}, ...share.windows.map(w => element("div", {
            textContent: `${w.nops} NOPs: ${w.values.map(([value, times]) => `${value} x${times}`).join(", ")}${
                w.unlisted ? `, ${w.unlisted} more` : ""}`
          })))
        }));

whenOpened("values",
    table => makeTable(table,
        [
          textColumn("suite", "suite"), textColumn("processor", onProcessor), textColumn("what", "name"),
          textColumn("value", "value"), textColumn("unit", "unit")
        ],
        report.values));

whenOpened("registers",
    table => makeTable(table,
        [
          numberColumn("snapshot", "snapshot"), textColumn("processor", "on"), textColumn("register", "name"),
          textColumn("space", "space"), textColumn("address", "address"), textColumn("value", "shown"),
          textColumn("fields", "fields"), textColumn("running", "runs")
        ],
        report.snapshots.flatMap((snapshot, i) => snapshot.registers.map(r => ({
          ...r,
          snapshot: i + 1,
          on: onProcessor(snapshot),
          shown: r.value ?? "cannot be read",
          runs: r.running ? "running" : ""
        })))));

/* Counts and differences as histograms, samples by place. */
function experimentRows() {
  const rows = [];

  for (const x of report.experiments) {
    const base = {experiment: x.name, kernel: x.kernel, level: level(x), on: onProcessor(x), n: x.n};

    for (const c of x.counts)
      rows.push({
        ...base,
        what: c.event,
        how: `${c.counter}, pass ${c.pass}`,
        seen: c.observations.map(observedText).join("; "),
        observations: c.observations
      });
    for (const d of x.deltas)
      rows.push({
        ...base,
        what: d.name,
        how: d.across_passes ? "difference across passes" : "difference",
        seen: d.observations.map(observedText).join("; "),
        observations: d.observations
      });
    for (const s of x.samples)
      rows.push({
        ...base,
        what: s.event,
        how: `${s.record} ${s.counter}, period ${s.period}`,
        samples: s,
        seen: `${s.places.reduce((sum, p) => sum + p.samples, 0)} samples in ${s.places.length} places, ${
            s.elsewhere} elsewhere; ${s.branches.length} branches`
      });
  }
  return rows;
}

function experimentDetail(row) {
  if (row.observations)
    return observations(row.observations);
  const places = [...row.samples.places].sort((a, b) => Number(a.offset) - Number(b.offset));

  return element("div", {},
      places.length ? element("div", {className: "charts"},
                          chart(`${row.what}: samples by place`, places.map(p => p.at), places.map(p => p.samples),
                              places.map(() => COLOURS.plain), "place")) :
                      "",
      ...row.samples.branches.map(
          b =>
              element("div", {textContent: `${b.from} to ${b.to}: taken ${b.taken}, mispredicted ${b.mispredicted}`})));
}

whenOpened("experiments",
    table => makeTable(table,
        [
          textColumn("experiment", "experiment"), textColumn("processor", "on"), textColumn("kernel", "kernel"),
          textColumn(levels.heading, "level"), numberColumn("N", "n"), textColumn("what", "what"),
          textColumn("how", "how"), textColumn("seen", "seen")
        ],
        experimentRows(), {detail: experimentDetail}));

document.getElementById("save").addEventListener("click", () => {
  const link = element("a", {
    href: URL.createObjectURL(new Blob([document.getElementById("report").textContent], {type: "application/json"})),
    download: "report.json"
  });

  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
});
