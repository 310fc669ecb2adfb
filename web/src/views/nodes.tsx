import { useSignal } from '@preact/signals';
import type { NodePull, NodeRow } from '../../../src/dashboard/model/page-data.ts';
import { now, page, run } from '../data.ts';
import { clockOf, formatBytes, formatDuration } from '../format.ts';
import { Pill } from '../parts/pill.tsx';
import { t } from '../settings.ts';

/** Without a byte for so long, a pull is over or stands still. */
const BUSY_MS = 10_000;
/** A cell of the picture, which is as wide as there is room. */
const CELL = 8;

/** Machines by images: what each pulls now, what it has, what it asked for and did not get. */
export function Nodes() {
  const nodes = page.value?.nodes;
  const words = t().nodes;
  if (!nodes) return <p class="soft">{words.unknown}</p>;
  if (nodes.length === 0) return <p class="soft">{words.none}</p>;
  const images = columnsOf(nodes);
  return (
    <>
      <table class="machines">
        <thead>
          <tr>
            <th scope="col">{words.machine}</th>
            <th scope="col">{words.now}</th>
            <th scope="col" class="number">
              {words.rate}
            </th>
            <th scope="col" class="number">
              {words.bytes}
            </th>
            <th scope="col" class="number">
              {words.images}
            </th>
            <th scope="col" class="number">
              {words.refused}
            </th>
            <th scope="col" class="picture">
              {words.matrix(images.length)}
            </th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <Row key={node.name} node={node} images={images} />
          ))}
        </tbody>
      </table>
      <Legend />
      <Refusals nodes={nodes} />
      <Pulled nodes={nodes} />
    </>
  );
}

/** Every image that some machine pulled, in the order in which the first one began. */
function columnsOf(nodes: readonly NodeRow[]): readonly string[] {
  const first = new Map<string, string>();
  for (const { pulls } of nodes) {
    for (const { image, firstAt } of pulls) {
      const known = first.get(image);
      if (known === undefined || firstAt < known) first.set(image, firstAt);
    }
  }
  return [...first].toSorted(([, a], [, b]) => (a < b ? -1 : 1)).map(([image]) => image);
}

function currentOf(node: NodeRow): NodePull | undefined {
  const last = node.pulls.at(-1);
  const isRunning = run.value?.outcome === 'running';
  const isBusy =
    isRunning && last && now.value - Date.parse(last.lastAt) < BUSY_MS && node.state === '';
  return isBusy ? last : undefined;
}

function Row({ node, images }: { readonly node: NodeRow; readonly images: readonly string[] }) {
  const current = currentOf(node);
  const isLive = run.value?.outcome === 'running';
  const words = t().nodes;
  return (
    <tr data-node={node.name}>
      <th scope="row">
        {node.name} {node.state === '' ? null : <Pill state={node.state} />}
        <span class="soft address">{node.address === node.name ? '' : node.address}</span>
      </th>
      <td class="now" data-label={words.now}>
        {current ? <Current pull={current} rate={node.bytesPerSecond} /> : '–'}
      </td>
      <td class="number" data-label={words.rate}>
        {isLive && node.bytesPerSecond > 0 ? `${formatBytes(node.bytesPerSecond)}/s` : '–'}
      </td>
      <td class="number" data-label={words.bytes}>
        {formatBytes(node.bytes)}
      </td>
      <td class="number" data-label={words.images}>
        {node.pulls.length}
      </td>
      <td class={`number ${node.refused.length > 0 ? 'cell bad' : ''}`} data-label={words.refused}>
        {node.refused.length || '–'}
      </td>
      <td class="picture">
        <Strip node={node} images={images} current={current} />
      </td>
    </tr>
  );
}

function Current({ pull, rate }: { readonly pull: NodePull; readonly rate: number }) {
  const { image, bytes, totalBytes } = pull;
  const left = totalBytes === undefined ? undefined : Math.max(0, totalBytes - bytes);
  const eta = left !== undefined && rate > 0 ? formatDuration((left / rate) * 1000) : '';
  const share = totalBytes ? ` / ${formatBytes(totalBytes)}` : '';
  return (
    <>
      <b>{image}</b>{' '}
      <span class="soft">
        {formatBytes(bytes)}
        {share} {eta ? `· ${eta}` : ''}
      </span>
    </>
  );
}

/** One cell for each image; what they mean is also told in words below. */
function Strip({
  node,
  images,
  current,
}: {
  readonly node: NodeRow;
  readonly images: readonly string[];
  readonly current: NodePull | undefined;
}) {
  const has = new Map(node.pulls.map((pull) => [pull.image, pull]));
  const refused = new Set(node.refused.map(({ image }) => image));
  const stateOf = (image: string) => {
    if (current?.image === image) return 'busy';
    if (refused.has(image)) return 'bad';
    return has.has(image) ? 'good' : 'none';
  };
  return (
    <svg
      class="strip"
      viewBox={`0 0 ${images.length * CELL} 16`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {images.map((image, index) => (
        <rect key={image} class={stateOf(image)} x={index * CELL} width={CELL - 1} height="16">
          <title>{`${image} ${has.has(image) ? formatBytes(has.get(image)?.bytes ?? 0) : ''}`}</title>
        </rect>
      ))}
    </svg>
  );
}

function Legend() {
  const words = t().nodes.legend;
  return (
    <ul class="legend">
      {(['good', 'busy', 'bad', 'none'] as const).map((state) => (
        <li key={state}>
          <span class={`swatch ${state}`} aria-hidden="true" /> {words[state]}
        </li>
      ))}
    </ul>
  );
}

/** What machines asked for and did not get: nobody else can tell. */
function Refusals({ nodes }: { readonly nodes: readonly NodeRow[] }) {
  const words = t().nodes;
  const all = nodes.flatMap(({ name, refused, message }) => [
    ...(message ? [{ name, what: message, why: '' }] : []),
    ...refused.map(({ image, status, error, times }) => ({
      name,
      what: image,
      why: `${status} ${error} ×${times}`,
    })),
  ]);
  if (all.length === 0) return null;
  return (
    <section aria-labelledby="refusals">
      <h2 id="refusals">{words.notGot}</h2>
      <ul class="evidence">
        {all.map(({ name, what, why }) => (
          <li key={`${name} ${what}`}>
            <b>{name}</b> <code>{what}</code> <span class="bad-text">{why}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Pulled({ nodes }: { readonly nodes: readonly NodeRow[] }) {
  const chosen = useSignal(nodes[0]?.name ?? '');
  const node = nodes.find(({ name }) => name === chosen.value);
  const words = t().nodes;
  return (
    <section aria-labelledby="pulled">
      <h2 id="pulled">{words.pulled}</h2>
      <div class="tabs">
        {nodes.map(({ name }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen.value}
            onClick={() => {
              chosen.value = name;
            }}
          >
            {name}
          </button>
        ))}
      </div>
      <ul class="pulls">
        {(node?.pulls ?? []).toReversed().map((pull) => (
          <li key={pull.reference}>
            <time dateTime={pull.lastAt}>{clockOf(Date.parse(pull.lastAt), true)}</time>
            <b>{pull.image}</b>
            <span class="soft">
              {formatBytes(pull.bytes)} ·{' '}
              {formatDuration(Math.max(0, Date.parse(pull.lastAt) - Date.parse(pull.firstAt)))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
