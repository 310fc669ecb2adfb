import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

export interface Column<Row> {
  readonly id: string;
  readonly title: string;
  readonly width: string;
  readonly number?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
}

interface Props<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  /** The first one is a button that opens the row. */
  readonly columns: readonly Column<Row>[];
  readonly empty: string;
  readonly chosen: Row | undefined;
  readonly onChoose: (row: Row) => void;
}

const WIDE_ROW = 30;
/** On a narrow screen a row has two lines. */
const NARROW_ROW = 52;
const AROUND = 12;
const narrow = matchMedia('(max-width: 760px)');

/** Thousands of rows of which only those in sight exist. Arrow keys move from row to row. */
export function VirtualTable<Row>(props: Props<Row>) {
  const { label, rows, columns, empty } = props;
  const place = useRef<HTMLDivElement>(null);
  const isMoving = useRef(false);
  const top = useSignal(0);
  const height = useSignal(600);
  const active = useSignal(0);
  const rowHeight = useSignal(narrow.matches ? NARROW_ROW : WIDE_ROW);
  useEffect(() => {
    const root = place.current;
    if (!root) return undefined;
    const fit = new ResizeObserver(() => {
      height.value = root.clientHeight;
      rowHeight.value = narrow.matches ? NARROW_ROW : WIDE_ROW;
    });
    fit.observe(root);
    return () => fit.disconnect();
  }, []);

  const each = rowHeight.value;
  const first = Math.max(0, Math.floor(top.value / each) - AROUND);
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / each) + AROUND);
  const at = Math.min(active.value, Math.max(0, rows.length - 1));
  const moveTo = (index: number) => {
    active.value = Math.max(0, Math.min(rows.length - 1, index));
    const root = place.current;
    if (!root) return;
    const y = active.value * each;
    root.scrollTop = Math.max(Math.min(root.scrollTop, y), y + 2 * each - root.clientHeight);
    isMoving.current = true;
  };
  // The row exists once the table is drawn again, which may take more than one time.
  useEffect(() => {
    const button = place.current?.querySelector<HTMLElement>('[data-active="true"] button');
    if (!isMoving.current || !button) return;
    button.focus({ preventScroll: true });
    isMoving.current = false;
  });
  // Before the next key can come: one that comes between would be answered with the rows of before.
  useLayoutEffect(() => {
    const root = place.current;
    const onKey = (event: KeyboardEvent) => {
      const to = targetOf(event.key, at, rows.length, Math.floor(height.value / each) - 2);
      if (to === undefined) return;
      event.preventDefault();
      moveTo(to);
    };
    root?.addEventListener('keydown', onKey);
    return () => root?.removeEventListener('keydown', onKey);
  });
  return (
    <div
      class="table"
      ref={place}
      onScroll={({ currentTarget }) => {
        top.value = currentTarget.scrollTop;
      }}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} class={id} style={{ width }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ id, title, number }) => (
              <th key={id} scope="col" class={classOf(id, number)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space px={first * each} />
          {rows.length === 0 ? (
            <tr>
              <td colSpan={columns.length}>{empty}</td>
            </tr>
          ) : null}
          {rows.slice(first, last).map((row, offset) => {
            const index = first + offset;
            return (
              <TableRow key={index} {...props} row={row} index={index} isActive={index === at} />
            );
          })}
          <Space px={(rows.length - last) * each} />
        </tbody>
      </table>
    </div>
  );
}

/** Where a key leads; undefined for one that leads nowhere. */
function targetOf(key: string, at: number, count: number, page: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  return targets[key];
}

const classOf = (id: string, number: boolean | undefined) => (number ? `${id} number` : id);

/** Stands for rows that are out of sight. */
function Space({ px }: { readonly px: number }) {
  return px > 0 ? <tr class="space" style={{ height: `${px}px` }} /> : null;
}

function TableRow<Row>({
  row,
  index,
  isActive,
  columns,
  chosen,
  onChoose,
}: Props<Row> & { readonly row: Row; readonly index: number; readonly isActive: boolean }) {
  const [head, ...rest] = columns;
  const isChosen = row === chosen;
  return (
    <tr aria-rowindex={index + 2} data-active={isActive} class={isChosen ? 'chosen' : ''}>
      <th scope="row" class={head?.id ?? ''}>
        <button
          type="button"
          class="open"
          tabIndex={isActive ? 0 : -1}
          aria-expanded={isChosen}
          onClick={() => onChoose(row)}
        >
          {head?.cell(row)}
        </button>
      </th>
      {rest.map(({ id, number, cell }) => (
        <td key={id} class={classOf(id, number)}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}
