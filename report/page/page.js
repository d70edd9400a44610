"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);

  // Tools: search.
  const search = byId("search");
  const tools = [...document.querySelectorAll("[data-tool]")];
  if (search) search.addEventListener("input", () => {
    const want = search.value.trim().toLowerCase();
    let shown = 0;
    for (const t of tools) {
      const hit = t.textContent.toLowerCase().includes(want);
      t.classList.toggle("hidden", !hit);
      if (hit) shown++;
    }
    byId("found").textContent = want ? shown + " of " + tools.length : "";
  });

  // The graph: search, filter, pan, zoom, offers of a state.
  const box = byId("graph");
  const svg = box && box.querySelector("svg");
  let setView = null;
  if (svg) {
    const texts = (g) => [...g.querySelectorAll("text")];
    const words = (list) => list.map((t) => t.textContent).join("\n");
    // A box has its state's lines, and, in small print and colour, arrows that lead back to it.
    const nodes = [...svg.querySelectorAll("g.node")].map((g) => {
      const small = texts(g).filter((t) => t.hasAttribute("fill"));
      return { g, name: g.querySelector("title").textContent, lines: small, text: words(texts(g).filter((t) => !small.includes(t))), all: words(texts(g)) };
    });
    const edges = [...svg.querySelectorAll("g.edge")].map((g) => ({ g, lines: texts(g), all: words(texts(g)), ends: g.querySelector("title").textContent.split("->").map((x) => x.trim().replace(/:.*$/, "")) }));
    const query = byId("gsearch"), tool = byId("gtool"), status = byId("gstatus");
    const apply = () => {
      const q = query.value.trim().toLowerCase();
      const kept = new Set();
      const wanted = (line) => {
        const l = line.textContent;
        return (!tool.value || l.startsWith(tool.value + ":") || l.startsWith(tool.value + "#")) && (!status.value || l.includes(status.value));
      };
      const any = tool.value || status.value;
      for (const e of edges) {
        const on = !any || e.lines.some(wanted);
        e.g.classList.toggle("off", !on);
        if (on) e.ends.forEach((x) => kept.add(x));
      }
      for (const n of nodes) {
        for (const l of n.lines) l.classList.toggle("off", !!any && !wanted(l));
        n.g.classList.toggle("off", !!any && !kept.has(n.name) && !n.lines.some(wanted));
      }
      for (const x of [...nodes, ...edges]) x.g.classList.toggle("hit", q !== "" && x.all.toLowerCase().includes(q));
      byId("ghits").textContent = q ? svg.querySelectorAll(".hit").length + " found" : "";
    };
    for (const c of [query, tool, status]) c.addEventListener("input", apply);

    const show = (n) => {
      const found = data.states.find((s) => s.id === n.name);
      const out = byId("offers");
      out.replaceChildren();
      const head = document.createElement("h3");
      head.textContent = found ? found.lines.join(", ") : n.text;
      out.append(head);
      const list = document.createElement("ul");
      for (const o of found ? found.offers : []) {
        const li = document.createElement("li");
        const b = document.createElement("strong");
        b.textContent = o.tool;
        const s = document.createElement("span");
        s.className = o.outcome === "works" ? "good" : o.outcome === "fails" ? "bad" : "mixed";
        s.textContent = " " + o.outcome + " ";
        li.append(b, s, document.createTextNode("(" + o.status + ")" + (o.reason ? ": it " + o.reason : "")));
        list.append(li);
      }
      out.append(list);
      if (!list.children.length) list.textContent = "nothing is known of it";
    };
    for (const n of nodes) {
      n.g.setAttribute("tabindex", "0");
      n.g.setAttribute("role", "button");
      n.g.setAttribute("aria-label", n.text.replace(/\n/g, ", "));
      n.g.addEventListener("click", () => show(n));
      n.g.addEventListener("keydown", (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); show(n); } });
    }

    const start = svg.viewBox.baseVal;
    const view = { x: start.x, y: start.y, w: start.width, h: start.height };
    const home = { ...view };
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    const set = () => svg.setAttribute("viewBox", [view.x, view.y, view.w, view.h].join(" "));
    setView = ([x, y, w, h]) => { Object.assign(view, { x, y, w, h }); set(); };
    const zoom = (f, cx, cy) => {
      if (view.w * f > home.w * 4 || view.w * f < home.w / 60) return;
      view.x += (view.w - view.w * f) * cx;
      view.y += (view.h - view.h * f) * cy;
      view.w *= f;
      view.h *= f;
      set();
    };
    box.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !box.contains(document.activeElement)) return;
      e.preventDefault();
      const r = box.getBoundingClientRect();
      zoom(e.deltaY > 0 ? 1.15 : 1 / 1.15, (e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height);
    }, { passive: false });
    let held = null;
    box.addEventListener("pointerdown", (e) => { held = { x: e.clientX, y: e.clientY, vx: view.x, vy: view.y }; });
    box.addEventListener("pointermove", (e) => {
      if (!held) return;
      const r = box.getBoundingClientRect(), k = Math.max(view.w / r.width, view.h / r.height);
      view.x = held.vx - (e.clientX - held.x) * k;
      view.y = held.vy - (e.clientY - held.y) * k;
      set();
    });
    window.addEventListener("pointerup", () => { held = null; });
    byId("zin").addEventListener("click", () => zoom(1 / 1.3, .5, .5));
    byId("zout").addEventListener("click", () => zoom(1.3, .5, .5));
    byId("zall").addEventListener("click", () => { Object.assign(view, home); set(); });
    box.addEventListener("keydown", (e) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
      if (step) { view.x += step[0] * view.w / 10; view.y += step[1] * view.h / 10; set(); e.preventDefault(); }
      else if (e.key === "+") zoom(1 / 1.3, .5, .5);
      else if (e.key === "-") zoom(1.3, .5, .5);
    });
  }

  // On paper everything is open.
  let opened = [];
  window.addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const d of opened) d.open = true;
  });
  window.addEventListener("afterprint", () => { for (const d of opened) d.open = false; });

  // A page that is served looks whether there is something new, and comes back as it was.
  if (data.version) {
    const fields = ["search", "gsearch", "gtool", "gstatus"];
    const summaries = () => [...document.querySelectorAll("details[data-tool]")];
    const keep = () => sessionStorage.setItem("mcpg", JSON.stringify({
      fields: fields.map((f) => byId(f) && byId(f).value), scroll: window.scrollY,
      open: summaries().filter((d) => d.open).map((d) => d.dataset.name), view: svg && svg.getAttribute("viewBox"),
    }));
    try {
      const was = JSON.parse(sessionStorage.getItem("mcpg"));
      sessionStorage.removeItem("mcpg");
      if (was) {
        fields.forEach((f, i) => { if (byId(f) && was.fields[i]) { byId(f).value = was.fields[i]; byId(f).dispatchEvent(new Event("input")); } });
        for (const d of summaries()) if (was.open.includes(d.dataset.name)) d.open = true;
        if (svg && was.view && setView) setView(was.view.split(" ").map(Number));
        window.scrollTo(0, was.scroll);
      }
    } catch (e) { /* as it is made */ }
    const look = () => fetch("version", { cache: "no-store" }).then((r) => r.ok ? r.text() : "").then((v) => {
      if (v && v !== data.version) { keep(); location.reload(); }
    }).catch(() => {}).finally(() => setTimeout(look, 2000));
    setTimeout(look, 2000);
  }
})();
