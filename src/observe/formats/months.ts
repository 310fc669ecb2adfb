/**
 * The months of English and other languages, by how they begin; those that look alike are not repeated. Where two
 * languages mean different months by one word (lip, srp and lis of Croatian), it is that of the more usual one.
 */
const NAMES: readonly (readonly [pattern: RegExp, month: number])[] = [
  // Before March and before June, which begin as they do.
  [/^marras/, 10],
  [/^(?:červen[ce]|čec)/, 6],
  [/^(?:jan|jaan|jän|ene|gen|янв|яну|sty|led|oca|січ|сту|јан|ιαν|ian|sij|sau|tammi|ינו|ينا)/, 0],
  [/^(?:feb|fév|fev|фев|феб|lut|úno|şub|лют|φεβ|velj|vas|helmi|veeb|פבר|فبر)/, 1],
  [/^(?:mar|mär|már|мар|bře|brez|mrt|maa|бер|сак|μάρ|μαρ|ožu|kov|מרץ|מרס|مار)/, 2],
  [/^(?:apr|avr|abr|ápr|апр|kwi|dub|nis|кві|кра|απρ|tra|bal|huhti|אפר|أبر|ابر)/, 3],
  [/^(?:may|mai|maí|mag|mei|máj|мая|май|мај|maj|kvě|тра|μάι|μαΐ|μαι|svi|geg|touko|מאי|ماي)/, 4],
  [
    /^(?:jun|juin|juun|jún|jūn|giu|июн|юни|јун|cze|če[nr]|haz|чер|чэр|ιούν|ιουν|iun|bir|kes|יונ|يون)/,
    5,
  ],
  [/^(?:jul|jui|juul|júl|jūl|lug|июл|юли|јул|lip|tem|лип|ліп|ιούλ|ιουλ|iul|lie|hein|יול|يول)/, 6],
  [
    /^(?:aug|aoû|ago|ag\.|ágú|авг|avg|sie|srp|ağu|agu|agt|сер|жні|αύγ|αυγ|kol|rugp|rgp|elo|אוג|أغس|اغس)/,
    7,
  ],
  [/^(?:sep|set|sze|сен|сеп|wrz|zář|eyl|вер|σεπ|ruj|rugs|rgs|syys|ספט|سبت)/, 8],
  [/^(?:oct|okt|ott|out|окт|paź|říj|eki|жов|кас|οκτ|spa|loka|אוק|أكت|اكت)/, 9],
  [/^(?:nov|ноя|ное|нов|nóv|lis|kas|лис|ліс|νοέ|νοε|noi|stu|lap|נוב|نوف)/, 10],
  [/^(?:dec|dez|déc|des|dets|dic|дек|дец|gru|pro|ara|гру|сне|δεκ|grd|joul|דצמ|ديس)/, 11],
];

/** A word of a language, with the preposition that Catalan and others put before it, or a number that says it is a month. */
export const MONTH = String.raw`(?:de |d['’])?\p{L}{3,12}\.?(?= )|d['’]ag\.?(?= )|Thg? ?\d{1,2}(?= )|\d{1,2}[月월]`;

/** The month that a word of any of these languages means, from 0; NaN: none. */
export function monthOf(name: string): number {
  const [, number] = /^(?:Thg? ?)?(\d{1,2})[月월]?$/.exec(name) ?? [];
  if (number !== undefined) return numbered(Number(number));
  const lower = name.toLowerCase().replace(/^(?:de |d['’])/, '');
  return NAMES.find(([pattern]) => pattern.test(lower))?.[1] ?? Number.NaN;
}

const numbered = (month: number): number => (month >= 1 && month <= 12 ? month - 1 : Number.NaN);
