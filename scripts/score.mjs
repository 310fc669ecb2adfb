/** Scores the catalogue of failures on the corpus: which causes are named, which are not, which are wrong. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';

const CORPUS = fileURLToPath(new URL('../test/corpus/', import.meta.url));

/** Each case of one half, or of another folder, with its text in a file of its own name. */
async function* casesOf(half) {
  const cases = resolve(CORPUS, half);
  const files = (await readdir(cases)).filter((name) => name.endsWith('.yaml')).sort();
  const folder = await mkdtemp(join(tmpdir(), 'atoll-score-'));
  try {
    for (const name of files) {
      const one = parse(await readFile(join(cases, name), 'utf8'));
      const path = join(folder, basename(one.file));
      await writeFile(path, one.text);
      yield { name, one, path };
      await rm(path);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Every case of one half, or of another folder, with the verdict: `named` when the first cause is the true one and none of the wrong ones is
 * said, `silent` when there is none, `wrong` otherwise. A healthy case is `named` when nothing is said.
 */
export async function scoreCorpus(half, diagnoseFile) {
  const results = [];
  for await (const { name, one, path } of casesOf(half)) {
    const roots = (await diagnoseFile(path)).filter(({ kind }) => kind === 'root');
    const said = roots.map(({ causeId, id }) => causeId ?? id);
    results.push({ name, ...one, said, verdict: verdictOf(one, said) });
  }
  return results;
}

function verdictOf({ cause, also = [], not = [] }, said) {
  if (cause === 'none') return said.length === 0 ? 'named' : 'wrong';
  if (said.length === 0) return 'silent';
  return [cause, ...also].includes(said[0]) && !said.some((id) => not.includes(id))
    ? 'named'
    : 'wrong';
}

/**
 * What becomes of failures that no rule knows: of each that is named, whether the likely cause is read from a line that
 * names it (`found`), from another, or not at all, where `unaidedFile` diagnoses without the rules that name causes.
 */
export async function scoreUnaided(half, diagnoseFile, unaidedFile) {
  const counts = { found: 0, other: 0, silent: 0 };
  for await (const { one, path } of casesOf(half)) {
    const roots = (await diagnoseFile(path)).findings.filter(({ kind }) => kind === 'root');
    if (one.cause === 'none' || roots.length === 0) continue;
    const named = new Set(roots.flatMap(({ evidence }) => evidence.map(({ line }) => line)));
    const { likely } = await unaidedFile(path);
    if (!likely) counts.silent += 1;
    else counts[named.has(likely.evidence[0]?.line) ? 'found' : 'other'] += 1;
  }
  return counts;
}

/** How many of each verdict. */
export function countVerdicts(results) {
  const counts = { named: 0, silent: 0, wrong: 0 };
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

function table(title, results, keyOf) {
  const groups = Map.groupBy?.(results, keyOf) ?? groupBy(results, keyOf);
  const rows = [...groups]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([key, group]) => {
      const { named, silent, wrong } = countVerdicts(group);
      return `  ${key.padEnd(28)} ${String(group.length).padStart(5)} ${String(named).padStart(6)} ${String(silent).padStart(7)} ${String(wrong).padStart(6)}`;
    });
  return [`${title.padEnd(30)} cases  named  silent  wrong`, ...rows].join('\n');
}

function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** The part of an id that names the area: `mirror`, `aws`, `oc-mirror`. */
const areaOf = ({ cause }) => /^(?:oc-mirror|install-config|[a-z0-9]+)/.exec(cause)?.[0] ?? cause;

async function main(args) {
  const details = args.includes('--details');
  const folders = args.filter((one) => !one.startsWith('--')).map((one) => resolve(one));
  const { diagnose, silentContext } = await import('../dist/library/diagnose.js');
  for (const half of folders.length > 0 ? folders : ['known', 'blind']) {
    const results = await scoreCorpus(
      half,
      async (path) => (await diagnose(silentContext(), [path])).findings,
    );
    const failures = results.filter(({ cause }) => cause !== 'none');
    const { named, wrong } = countVerdicts(failures);
    const accused = countVerdicts(results.filter(({ cause }) => cause === 'none')).wrong;
    console.log(
      `\n${half}: ${named} of ${failures.length} failures named (${Math.round((100 * named) / failures.length)} %), ${wrong} told wrong, ${accused} of ${results.length - failures.length} healthy ones accused`,
    );
    console.log(table('by area', results, areaOf));
    console.log(table('by form', results, ({ form }) => form));
    if (!details) continue;
    for (const { name, cause, said, verdict } of results) {
      if (verdict !== 'named')
        console.log(`${verdict.padEnd(7)} ${name}: ${cause} <- ${said.join(', ')}`);
    }
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main(process.argv.slice(2));
}
