// Usage: node check.mjs DIR. For every DIR/NAME.json, the graph that should be
// drawn, parses DIR/NAME.mmd with Mermaid and compares. Prints what is wrong and
// exits with 1 if anything is.
//
// NAME.json is {"nodes": [[ID, TEXT], ...], "edges": [[FROM, TO, LABEL], ...],
// "groups": N}, edges by the numbers of their nodes, groups 0 if it is missing. Nodes are drawn in this order, each as
// itself or as n0, n1 and so on. If it is null, NAME.mmd is only parsed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html>');
globalThis.window = window;
globalThis.document = window.document;

// Markup in labels is the reader's business: texts are compared as written.
const { default: purify } = await import('dompurify');
purify.sanitize = (text) => text;

const { default: mermaid } = await import('mermaid');
mermaid.initialize({ startOnLoad: false, maxEdges: 1e6 });

const names = { quot: '"', lt: '<', gt: '>', amp: '&' };

const tidy = (text) => text.replace(/[\u2028\u2029]/g, '\n').replaceAll('\t', ' ').trim();

// decode gives a drawn text as a reader sees it.
function decode(text) {
  return tidy(
    (text ?? '')
      .replace(/<br\s*\/?>/g, '\n')
      .replace(/ﬂ°°(\d+)¶ß/g, (_, n) => String.fromCodePoint(Number(n)))
      .replace(/ﬂ°(\w+)¶ß/g, (_, n) => names[n] ?? `[entity ${n}]`),
  );
}

async function draw(text) {
  await mermaid.parse(text);
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  return { vertices: [...db.getVertices().values()], edges: db.getEdges(), groups: db.getSubGraphs() };
}

function* differences(want, got) {
  if (!want) return; // it is only to be read
  if (got.groups.length !== (want.groups ?? 0)) yield `${got.groups.length} subgraphs, want ${want.groups ?? 0}`;
  if (got.vertices.length !== want.nodes.length) yield `${got.vertices.length} nodes, want ${want.nodes.length}`;
  const number = new Map(got.vertices.map((v, i) => [v.id, i]));
  const aliases = got.vertices.every((v, i) => v.id === `n${i}`);
  for (const [i, [id, text]] of want.nodes.entries()) {
    const v = got.vertices[i];
    if (!v) break;
    if (!aliases && v.id !== id) yield `node ${i} is ${JSON.stringify(v.id)}, want ${JSON.stringify(id)}`;
    if (decode(v.text) !== tidy(text)) yield `node ${i} says ${JSON.stringify(decode(v.text))}, want ${JSON.stringify(text)}`;
  }
  if (got.edges.length !== want.edges.length) yield `${got.edges.length} edges, want ${want.edges.length}`;
  for (const [i, [from, to, label]] of want.edges.entries()) {
    const e = got.edges[i];
    if (!e) break;
    const drawn = [number.get(e.start), number.get(e.end), decode(e.text)];
    const wanted = [from, to, tidy(label)];
    if (JSON.stringify(drawn) !== JSON.stringify(wanted)) yield `edge ${i} is ${JSON.stringify(drawn)}, want ${JSON.stringify(wanted)}`;
  }
}

const dir = process.argv[2];
const cases = readdirSync(dir).filter((f) => f.endsWith('.json')).map((f) => f.slice(0, -5));
let failed = 0;
for (const name of cases) {
  const want = JSON.parse(readFileSync(join(dir, `${name}.json`), 'utf8'));
  let wrong;
  try {
    wrong = [...differences(want, await draw(readFileSync(join(dir, `${name}.mmd`), 'utf8')))];
  } catch (e) {
    wrong = [String(e.message ?? e).replaceAll('\n', ' ')];
  }
  if (wrong.length) {
    failed++;
    console.log(`${name}: ${wrong.join('; ')}`);
  }
}
console.log(`${cases.length} drawings, ${failed} wrong`);
process.exit(failed || !cases.length ? 1 : 0);
