import { useComputed, useSignal } from '@preact/signals';
import type { ImageRow } from '../../../src/dashboard/model/page-data.ts';
import type { RunState } from '../../../src/dashboard/model/run-state.ts';
import { page, run } from '../data.ts';
import { formatBytes, imageName, shortDigest } from '../format.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Pill } from '../parts/pill.tsx';
import { type Column, VirtualTable } from '../parts/virtual-table.tsx';
import { t } from '../settings.ts';
import { Sharing } from './sharing.tsx';

/** What the last run reported, or while it runs what its events told so far. */
function rowsOf(reported: readonly ImageRow[], state: RunState | undefined): readonly ImageRow[] {
  const isRunning = state?.outcome === 'running' && state.images.length > 0;
  if (reported.length > 0 && !isRunning) return reported;
  const known = new Map(reported.map((row) => [row.target, row]));
  return (state?.images ?? []).map((image) => ({
    kind: '',
    reason: '',
    neededBy: [],
    ...known.get(image.target),
    source: image.source,
    target: image.target,
    digest: image.digest,
    sizeBytes: image.sizeBytes,
    copiedBytes: image.copiedBytes ?? 0,
    outcome: image.outcome,
    error: image.outcome === 'failed' ? image.message : undefined,
  }));
}

const textOf = (row: ImageRow) =>
  [row.source, row.target, row.digest, row.reason, row.component, row.kind, ...row.neededBy]
    .join(' ')
    .toLowerCase();

const nameOf = (row: ImageRow) => row.component ?? imageName(row.source);

export function Images() {
  const query = useSignal('');
  const kind = useSignal('');
  const outcome = useSignal('');
  const chosen = useSignal<ImageRow | undefined>(undefined);
  const all = useComputed(() =>
    rowsOf(page.value?.images ?? [], run.value).map((row) => ({ row, text: textOf(row) })),
  );
  const shown = useComputed(() => {
    const terms = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    return all.value
      .filter(({ row, text }) => {
        if (kind.value !== '' && row.kind !== kind.value) return false;
        if (outcome.value !== '' && row.outcome !== outcome.value) return false;
        return terms.every((term) => text.includes(term));
      })
      .map(({ row }) => row);
  });
  const words = t().images;
  if (all.value.length === 0) return <p class="soft">{words.empty}</p>;
  const choices = (field: 'kind' | 'outcome') =>
    [...new Set(all.value.map(({ row }) => row[field]))].filter(Boolean).toSorted();
  return (
    <>
      <Sharing images={page.value?.images ?? []} />
      <div class="filters">
        <input
          id="image-search"
          type="search"
          placeholder={words.search}
          aria-label={words.search}
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
        <Choice label={words.kind} values={choices('kind')} names={words.kinds} chosen={kind} />
        <Choice
          label={words.outcome}
          values={choices('outcome')}
          names={t().states}
          chosen={outcome}
        />
        <output class="count">{words.shown(shown.value.length, all.value.length)}</output>
      </div>
      <VirtualTable
        label={t().views.images}
        rows={shown.value}
        columns={columnsOf()}
        empty={words.none}
        chosen={chosen.value}
        onChoose={(row) => {
          chosen.value = row === chosen.value ? undefined : row;
        }}
      />
      {chosen.value ? (
        <Details
          row={chosen.value}
          onClose={() => {
            chosen.value = undefined;
          }}
        />
      ) : null}
    </>
  );
}

function Choice({
  label,
  values,
  names,
  chosen,
}: {
  readonly label: string;
  readonly values: readonly string[];
  readonly names: Readonly<Record<string, string>>;
  readonly chosen: { value: string };
}) {
  return (
    <label class="choice">
      <span>{label}</span>
      <select
        value={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = currentTarget.value;
        }}
      >
        <option value="">{t().images.all}</option>
        {values.map((value) => (
          <option key={value} value={value}>
            {names[value] ?? value}
          </option>
        ))}
      </select>
    </label>
  );
}

function columnsOf(): readonly Column<ImageRow>[] {
  const words = t().images;
  const name = (row: ImageRow) => (
    <>
      <b>{nameOf(row)}</b>
      <small>{row.reason}</small>
    </>
  );
  const bytes = (value: number | undefined) => (value ? formatBytes(value) : '–');
  const kind = (row: ImageRow) => words.kinds[row.kind] ?? row.kind;
  const digest = (row: ImageRow) => <code>{shortDigest(row.digest ?? '')}</code>;
  const pill = (row: ImageRow) => <Pill state={row.outcome} />;
  return [
    { id: 'name', title: words.source, width: '26%', cell: name },
    { id: 'kind', title: words.kind, width: '112px', cell: kind },
    { id: 'why', title: words.why, width: 'auto', cell: (row) => row.reason },
    { id: 'digest', title: words.digest, width: '170px', cell: digest },
    {
      id: 'size',
      title: words.size,
      width: '92px',
      number: true,
      cell: (row) => bytes(row.sizeBytes),
    },
    {
      id: 'moved',
      title: words.moved,
      width: '92px',
      number: true,
      cell: (row) => bytes(row.copiedBytes),
    },
    { id: 'outcome', title: words.outcome, width: '104px', cell: pill },
  ];
}

function Details({ row, onClose }: { readonly row: ImageRow; readonly onClose: () => void }) {
  const words = t().images;
  const facts: readonly (readonly [string, string])[] = [
    [words.source, row.source],
    [words.target, row.target],
    [words.digest, row.digest ?? ''],
    [words.why, row.reason],
    [words.neededBy, row.neededBy.join(', ')],
    [words.error, row.error ?? ''],
  ];
  return (
    <section class="details" aria-label={nameOf(row)}>
      <header>
        <h2>{nameOf(row)}</h2>
        <button type="button" onClick={onClose}>
          {t().close}
        </button>
      </header>
      <dl>
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <CopyButton text={row.target} />
    </section>
  );
}
