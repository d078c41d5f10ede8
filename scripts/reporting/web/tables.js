/* What all pages share: tables that are sorted, filtered and opened, and histograms. Text that comes from a report
 * reaches the page as text, never as HTML. */
"use strict";

const embedded = id => JSON.parse(document.getElementById(id).textContent);
const BY_SEVERITY = embedded("severity");
const COLOURS = {
  good: "#1b6e3c",
  bad: "#b3261e",
  plain: "#3367a8"
};
const BARS = 48;  // of a histogram, at most

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);

  made.append(...children);
  return made;
}

const escaped = text => String(text).replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`);

/* Columns of verdicts are sorted by severity. */
function verdictColumn(title, data, words = BY_SEVERITY) {
  return {
    title,
    data,
    render: (verdict, use) => use === "display" ?
        `<span class="verdict v-${escaped(verdict).replace(/ /g, "-")}">${escaped(verdict)}</span>` :
        use === "filter" ? verdict :
                           words.indexOf(verdict)
  };
}

const textColumn = (title, data, more = {}) =>
    ({title, data, defaultContent: "", render: $.fn.dataTable.render.text(), ...more});

/* Numbers may be strings, for their size; what is no number comes first. */
function numberColumn(title, data) {
  return {
    title,
    data,
    className: "number",
    defaultContent: "",
    render: (value, use) => use === "display" ? escaped(value ?? "") :
        use === "sort" || use === "type"      ? Number(value ?? -Infinity) :
                                                String(value ?? "")
  };
}

/* A DataTable in the element. detail(row) gives the element that opening a row shows. */
function makeTable(place, columns, rows, {detail, order = [], more = {}} = {}) {
  const table = $(place).DataTable({
    data: rows,
    columns,
    order,
    autoWidth: false,
    deferRender: true,
    pageLength: 25,
    lengthMenu: [[25, 100, 1000, -1], [25, 100, 1000, "all"]],
    paging: rows.length > 25 || !!more.always,
    info: rows.length > 25,
    searching: rows.length > 1,
    language: {
      search: "Search: ",
      lengthMenu: "_MENU_ rows",
      info: "_START_ to _END_ of _TOTAL_ rows",
      infoFiltered: "(_MAX_ without filters)",
      infoEmpty: "no rows",
      zeroRecords: "No row passes the filters.",
      emptyTable: "There is nothing."
    },
    createdRow: tr => {
      if (detail) {
        tr.classList.add("opens");
        tr.tabIndex = 0;
        tr.setAttribute("aria-expanded", "false");
      }
    },
    ...more.options
  });

  if (detail) {
    const toggle = tr => {
      const row = table.row(tr);

      if (!tr.classList.contains("opens") || !row.data())
        return;
      if (row.child.isShown()) {
        row.child.remove();
      } else {
        const shown = detail(row.data());

        row.child(shown, "opened").show();
        shown.dispatchEvent(new CustomEvent("shown"));
      }
      tr.classList.toggle("open", row.child.isShown());
      tr.setAttribute("aria-expanded", String(row.child.isShown()));
    };

    /* Rows of a table within are not ours. */
    const ours = event =>
        event.target.closest("tr")?.parentNode === $(place).children("tbody")[0] && event.target.closest("tr");

    $(place).on("click", event => ours(event) && toggle(ours(event)));
    $(place).on("keydown", event => event.key === "Enter" && ours(event) === event.target && toggle(event.target));
    table.toggleRow = toggle;
  }
  return table;
}

/* Draws once the element can be seen: a page may have hundreds of them. */
const unseen = new IntersectionObserver(entries => {
  for (const entry of entries)
    if (entry.isIntersecting) {
      unseen.unobserve(entry.target);
      entry.target.draw();
    }
});

function chart(title, labels, amounts, colours, axis) {
  const canvas = element("canvas"), box = element("div", {className: "canvas"}, canvas);
  const whole = element("div", {className: "chart"}, element("p", {textContent: title}), box);

  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", title);
  box.draw = () => new Chart(canvas, {
    type: "bar",
    data: {labels, datasets: [{data: amounts, backgroundColor: colours, maxBarThickness: 40, minBarLength: 2}]},
    options: {
      animation: false,
      maintainAspectRatio: false,
      plugins: {legend: {display: false}},
      scales: {x: {title: {display: true, text: axis}}, y: {beginAtZero: true, ticks: {precision: 0}}}
    }
  });
  unseen.observe(box);
  return whole;
}

const isInside = (o, value) => value >= BigInt(o.low) && value <= BigInt(o.high);

/* Pairs [label, how often, colour] of an observation: each value, or ranges where there are too many. */
function bars(o) {
  const pairs = o.values.map(([value, times]) => [BigInt(value), Number(times)])
                    .sort((a, b) => a[0] < b[0] ? -1 :
                            a[0] > b[0]         ? 1 :
                                                  0);
  const judged = o.low !== undefined;
  const colour = (...values) => !judged         ? COLOURS.plain :
      values.every(value => isInside(o, value)) ? COLOURS.good :
                                                  COLOURS.bad;

  /* Where one value is expected and another one seen, both are on the axis. */
  if (judged && BigInt(o.low) === BigInt(o.high) && !pairs.some(([value]) => value === BigInt(o.low)) &&
      pairs.length < BARS) {
    pairs.push([BigInt(o.low), 0]);
    pairs.sort((a, b) => a[0] < b[0] ? -1 : 1);
  }
  if (pairs.length <= BARS)
    return pairs.map(([value,
      times]) => [String(value) + (judged && o.low == o.high && value === BigInt(o.low) ? " (expected)" : ""), times,
                         colour(value)]);

  const first = pairs[0][0], width = (pairs[pairs.length - 1][0] - first) / BigInt(BARS) + 1n;
  const found = Array.from({length: BARS}, (_, i) => ({low: first + width * BigInt(i), times: 0, values: []}));

  for (const [value, times] of pairs) {
    const bar = found[Number((value - first) / width)];

    bar.times += times;
    bar.values.push(value);
  }
  return found.map(bar => [width === 1n ? String(bar.low) : `${bar.low}..${bar.low + width - 1n}`, bar.times,
                       colour(...bar.values)]);
}

const expectedText = o => o.low === undefined ? "unknown" : o.low == o.high ? String(o.low) : `${o.low}..${o.high}`;

function histogram(o, title, axis = "value") {
  const all = bars(o);

  return chart(title + (o.unlisted ? ` (${o.unlisted} values are not listed)` : ""), all.map(b => b[0]),
      all.map(b => b[1]), all.map(b => b[2]), axis);
}

/* The observations of a check, or of a count that is not judged: numbers and histograms. */
function observations(list) {
  const rows = element("tbody"), charts = element("div", {className: "charts"});
  const heads = ["N", "expected", "lowest", "highest", "observed", "distinct values"];

  for (const o of list) {
    const values = o.values.slice(0, 16).map(([value, times]) => `${value} x${times}`).join(", ") +
        (o.distinct > 16 ? ", ..." : "");

    rows.append(element("tr", {},
        ...[o.n, expectedText(o), o.total ? o.min : "-", o.total ? o.max : "-", values || "nothing", o.distinct].map(
            text => element("td", {textContent: text, className: "number"}))));
    if (o.values.length)
      charts.append(histogram(o, `N = ${o.n}: expected ${expectedText(o)}`));
  }
  return element("div", {},
      element("table", {className: "plain"},
          element("thead", {}, element("tr", {}, ...heads.map(text => element("th", {textContent: text})))), rows),
      charts);
}

/* Fills a table when the part of the page that it is in is opened first. */
function whenOpened(id, fill) {
  const part = document.getElementById(id);

  if (!part)
    return;
  part.addEventListener("toggle", () => {
    if (part.open && !part.dataset.filled) {
      part.dataset.filled = "yes";
      fill(part.querySelector("table"));
    }
  });
}
