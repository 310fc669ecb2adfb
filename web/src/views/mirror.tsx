import { page } from '../data.ts';
import { dateOf, formatBytes } from '../format.ts';
import { Curve } from '../parts/curve.tsx';
import { Pill } from '../parts/pill.tsx';
import { t } from '../settings.ts';

const SOON_DAYS = 30;

/** The mirror registry: what it sends, what it holds, how long its certificate lasts. */
export function Mirror() {
  const data = page.value?.mirror;
  const words = t().mirror;
  if (!data) return <p class="soft">{words.none}</p>;
  const { certificate, sent } = data;
  const rate = (sent.values.at(-1) ?? 0) / (sent.slotMs / 1000);
  const figures: readonly (readonly [string, string])[] = [
    [words.rate, `${formatBytes(rate)}/s`],
    [words.sent, formatBytes(data.sentBytes)],
    [words.requests, String(data.requests)],
    [words.refused, String(data.refused)],
    [words.blobs, String(data.blobs)],
    [words.stored, formatBytes(data.storedBytes)],
    [words.free, formatBytes(data.freeBytes)],
  ];
  return (
    <>
      <p>
        <b>{data.host}</b>{' '}
        {data.running === undefined ? null : (
          <Pill
            state={data.running ? 'done' : 'interrupted'}
            word={words.running[data.running ? 'yes' : 'no']}
          />
        )}
      </p>
      <dl class="figures">
        {figures.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <section aria-labelledby="sent">
        <h2 id="sent">{words.sentOverTime}</h2>
        {sent.values.length > 0 ? <Curve series={sent} label={words.sentOverTime} /> : <p>–</p>}
      </section>
      {certificate ? (
        <section aria-labelledby="certificate">
          <h2 id="certificate">{words.certificate}</h2>
          <p>
            <Pill
              state={certificate.days < SOON_DAYS ? 'warning' : 'done'}
              word={words.days(certificate.days)}
            />{' '}
            {certificate.subject}{' '}
            <span class="soft">{words.until(dateOf(certificate.validTo))}</span>
          </p>
        </section>
      ) : null}
    </>
  );
}
