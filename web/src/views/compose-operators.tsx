import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PackageOffer, WeightOffer } from '../../../src/dashboard/model/choice.ts';
import { ask, CATALOGS, choice, setOperators } from '../compose.ts';
import { formatBytes } from '../format.ts';
import { Trouble } from '../parts/trouble.tsx';
import { t } from '../settings.ts';

const MOST_SHOWN = 60;

export function Operators() {
  const words = t().compose;
  const catalog = useSignal(CATALOGS[0] ?? '');
  const query = useSignal('');
  const trouble = useSignal('');
  const isBusy = useSignal(false);
  const offer = useSignal<readonly PackageOffer[]>([]);
  const load = async () => {
    isBusy.value = true;
    const answer = await ask<readonly PackageOffer[]>('packages', { name: catalog.value });
    isBusy.value = false;
    trouble.value = answer.trouble;
    offer.value = answer.value ?? [];
  };
  const chosen =
    choice.value.operators.find((one) => one.catalog === catalog.value)?.packages ?? [];
  const set = (name: string, channel: string | undefined) => {
    const others = chosen.filter((one) => one.name !== name);
    const packages = channel === undefined ? others : [...others, { name, channel }];
    setOperators({ catalog: catalog.value, packages });
  };
  const shown = offer.value.filter(({ name }) => name.includes(query.value.toLowerCase()));
  return (
    <section class="card" aria-labelledby="operators">
      <h2 id="operators">{words.operators}</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          load();
        }}
      >
        <input
          type="search"
          list="catalogs"
          aria-label={words.catalog}
          value={catalog.value}
          onInput={({ currentTarget }) => {
            catalog.value = currentTarget.value;
          }}
        />
        <datalist id="catalogs">
          {CATALOGS.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit">{words.show}</button>
        {isBusy.value ? <span class="soft">{words.reading}</span> : null}
      </form>
      <Trouble text={trouble.value} />
      {offer.value.length > 0 ? (
        <input
          type="search"
          aria-label={words.find}
          placeholder={words.find}
          value={query.value}
          onInput={({ currentTarget }) => {
            query.value = currentTarget.value;
          }}
        />
      ) : null}
      <ul class="packages">
        {shown.slice(0, MOST_SHOWN).map((each) => (
          <Package
            key={each.name}
            offer={each}
            channel={chosen.find(({ name }) => name === each.name)?.channel}
            onSet={(channel) => set(each.name, channel)}
          />
        ))}
      </ul>
      {chosen.length > 0 ? <Weight catalog={catalog.value} packages={chosen} /> : null}
    </section>
  );
}

function Package({
  offer,
  channel,
  onSet,
}: {
  readonly offer: PackageOffer;
  readonly channel: string | undefined;
  readonly onSet: (channel: string | undefined) => void;
}) {
  const { name, version, channels, defaultChannel, deprecated } = offer;
  return (
    <li data-package={name}>
      <label>
        <input
          type="checkbox"
          checked={channel !== undefined}
          onChange={({ currentTarget }) =>
            onSet(currentTarget.checked ? defaultChannel : undefined)
          }
        />{' '}
        <b>{name}</b> <span class="soft">{version}</span>
        {deprecated ? <span class="bad-text"> {t().compose.deprecated}</span> : null}
      </label>
      {channel === undefined ? null : (
        <select
          aria-label={`${t().compose.channel}: ${name}`}
          value={channel}
          onChange={({ currentTarget }) => onSet(currentTarget.value)}
        >
          {channels.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      )}
    </li>
  );
}

/** What the chosen operators bring along, and what all of it weighs. */
function Weight({
  catalog,
  packages,
}: {
  readonly catalog: string;
  readonly packages: readonly { readonly name: string; readonly channel: string }[];
}) {
  const words = t().compose;
  const weight = useSignal<WeightOffer | undefined>(undefined);
  const trouble = useSignal('');
  const key = JSON.stringify(packages);
  useEffect(() => {
    let isWanted = true;
    weight.value = undefined;
    ask<WeightOffer>('weigh', { catalog, packages }).then((answer) => {
      if (!isWanted) return;
      trouble.value = answer.trouble;
      weight.value = answer.value;
    });
    return () => {
      isWanted = false;
    };
  }, [catalog, key]);
  if (trouble.value !== '') return <Trouble text={trouble.value} />;
  const found = weight.value;
  if (!found) return <p class="soft">{words.weighing}</p>;
  return (
    <div class="weight" data-images={found.images}>
      <p>
        <b>{formatBytes(found.bytes)}</b> {words.weight(found.images)}{' '}
        {found.unknown > 0 ? <span class="soft">{words.unweighed(found.unknown)}</span> : null}
      </p>
      <ul>
        {found.packages.map(({ name, bytes, isDependency, bundles }) => (
          <li key={name} data-weight={name}>
            <b>{name}</b> {formatBytes(bytes)}{' '}
            {isDependency ? (
              <span class="soft">
                {words.along}: {bundles.flatMap(({ reasons }) => reasons).join('; ')}
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      {found.warnings.map((warning) => (
        <p key={warning} class="soft">
          {warning}
        </p>
      ))}
    </div>
  );
}
