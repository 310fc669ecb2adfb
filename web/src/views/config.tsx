import { useSignal } from '@preact/signals';
import type { ConfigFile } from '../../../src/dashboard/model/page-data.ts';
import { page } from '../data.ts';
import { diffLines } from '../diff.ts';
import { Pill } from '../parts/pill.tsx';
import { t } from '../settings.ts';

/** More lines than this are not compared: nobody would read it, and it takes long. */
const MOST_LINES = 3000;

/** The generated files, with secrets masked; what changed since the run before stands out. */
export function Config() {
  const files = page.value?.config ?? [];
  const words = t().config;
  if (files.length === 0) return <p class="soft">{words.none}</p>;
  const changed = files.filter(({ before }) => before !== undefined);
  return (
    <>
      <p class="soft">{words.masked}</p>
      <p>{changed.length > 0 ? words.changed(changed.length) : words.unchanged}</p>
      <div class="files">
        {files.map((file) => (
          <File key={file.path} file={file} />
        ))}
      </div>
    </>
  );
}

function File({ file }: { readonly file: ConfigFile }) {
  const open = useSignal(file.before !== undefined);
  const isLong = file.text.split('\n').length > MOST_LINES;
  return (
    <details
      open={open.value}
      onToggle={({ currentTarget }) => {
        open.value = currentTarget.open;
      }}
    >
      <summary>
        <code>{file.path}</code>{' '}
        {file.before === undefined ? null : <Pill state="warning" word={t().config.differs} />}
      </summary>
      {open.value ? (
        <pre>
          {file.before === undefined || isLong
            ? file.text
            : diffLines(file.before, file.text).map(({ kind, text }, index) => (
                <span key={`${index} ${text}`} class={kind}>
                  {`${{ same: '  ', added: '+ ', removed: '- ' }[kind]}${text}\n`}
                </span>
              ))}
        </pre>
      ) : null}
    </details>
  );
}
