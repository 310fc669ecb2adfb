import type { FindingRow } from '../../../src/dashboard/model/page-data.ts';
import { page } from '../data.ts';
import { dateOf } from '../format.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Pill } from '../parts/pill.tsx';
import { t } from '../settings.ts';

/** Causes above their consequences, as they appear. */
export function Findings() {
  const findings = page.value?.findings;
  if (!findings) return <p class="soft">{t().noLogs}</p>;
  if (findings.length === 0) return <p class="soft">{t().noFindings}</p>;
  return (
    <div class="findings" aria-live="polite">
      {findings.map((finding, index) => (
        <Finding key={finding.id} finding={finding} open={index === 0} />
      ))}
    </div>
  );
}

export function Finding({
  finding,
  open,
}: {
  readonly finding: FindingRow;
  readonly open: boolean;
}) {
  const words = t();
  return (
    <details class={`finding ${finding.kind}`} open={open} data-finding={finding.id}>
      <summary>
        <Pill state={finding.kind} word={words.findingKinds[finding.kind]} />
        <span class="title">{finding.title}</span>
        <span class="soft">
          {words.seenTimes(finding.count)}
          {finding.firstAt ? ` · ${dateOf(finding.firstAt)}` : ''}
        </span>
      </summary>
      <h2 class="minor">{words.remedy}</h2>
      <p>{finding.remedy}</p>
      <Commands commands={finding.commands} />
      {finding.evidence.length > 0 ? (
        <>
          <h2 class="minor">{words.evidence}</h2>
          <ul class="evidence">
            {finding.evidence.map(({ place, text }) => (
              <li key={`${place} ${text}`}>
                {place === '' ? null : <span class="place">{place}</span>}
                <code>{text}</code>
              </li>
            ))}
          </ul>
        </>
      ) : null}
      <p class="soft">
        <code>{finding.id}</code>
      </p>
    </details>
  );
}

function Commands({ commands }: { readonly commands: readonly string[] }) {
  if (commands.length === 0) return null;
  return (
    <>
      <h2 class="minor">{t().commands}</h2>
      <ul class="commands">
        {commands.map((command) => (
          <li key={command}>
            <code>{command}</code>
            <CopyButton text={command} />
          </li>
        ))}
      </ul>
    </>
  );
}
