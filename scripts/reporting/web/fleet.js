/* The matrix of many machines. */
"use strict";

const machines = embedded("columns"), rows = embedded("rows");
const chosen = {
  verdict: "",
  disagree: false
};
const paths = new Map(machines.flatMap(machine => machine.reports.map(report => [report.id, report.path])));
const tallyText = tally => tally.map(([verdict, n]) => `${n} ${verdict}`).join(", ");

/* What each machine says of a row. */
function rowDetail(row) {
  const whole = element("div");

  row.cells.forEach((cell, i) => {
    const head = `${i + 1}: ${machines[i].machine}, ${machines[i].judged}`;
    const off = cell ? cell.tally.reduce((sum, [v, n]) => sum + (v === "exact" || v === "within" ? 0 : n), 0) : 0;

    whole.append(
        element("h3", {textContent: head}), element("p", {textContent: cell ? tallyText(cell.tally) : "not there"}));
    if (off)
      whole.append(element("table", {className: "plain"},
          element("tbody", {},
              ...cell.shown.map(([report, name, verdict, why]) => element("tr", {},
                                    element("td", {className: `verdict v-${verdict}`, textContent: verdict}),
                                    element("td", {textContent: name}), element("td", {textContent: why}),
                                    element("td", {textContent: paths.get(report)}))))));
    if (off > (cell?.shown.length ?? 0))
      whole.append(element("p", {textContent: `and ${off - cell.shown.length} more`}));
  });
  return whole;
}

const verdictCell = i => ({
  title: String(i + 1),
  data: null,
  className: "cell",
  render: (row, use) => {
    const verdict = row.cells[i]?.verdict ?? "-";

    return use === "display" ? `<span class="verdict v-${escaped(verdict)}" title="${
                                   escaped(row.cells[i] ? tallyText(row.cells[i].tally) : "")}">` +
            `${escaped(verdict)}</span>` :
        use === "filter" ? verdict :
        verdict === "-"  ? BY_SEVERITY.length :
                           BY_SEVERITY.indexOf(verdict);
  }
});

const matrix = makeTable("#matrix",
    [
      verdictColumn("worst", "worst"), textColumn("suite", "suite"), textColumn("event or check", "subject"),
      ...machines.map((_, i) => verdictCell(i))
    ],
    rows, {detail: rowDetail, order: [[0, "asc"]], more: {always: true}});

$.fn.dataTable.ext.search.push((settings, words, index, row) => settings.nTable.id !== "matrix" ||
        ((!chosen.verdict || row.cells.some(cell => cell?.tally.some(([v]) => v === chosen.verdict))) &&
            (!chosen.disagree || row.machines.length > 1)));

document.getElementById("verdict").addEventListener("change", event => {
  chosen.verdict = event.target.value;
  matrix.draw();
});
document.getElementById("disagree").addEventListener("change", event => {
  chosen.disagree = event.target.checked;
  matrix.draw();
});
for (const [i, head] of [...document.querySelectorAll("#matrix > thead th")].slice(3).entries())
  head.title = `${machines[i].machine}, ${machines[i].judged}`;
