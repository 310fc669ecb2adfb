import type { FoundWords, PlainReading } from '../plain-reading.ts';

/** Where a program begins to say what is wrong: behind its name, its level, its file, or the step that failed. */
const BEGINS = String.raw`(?:^|: |\] |\bmsg=|=\\?"|":\\?")`;
/** As far as one part of a message goes: fields of a log behind it are none. */
const UP_TO = String.raw`(?:(?!: |\] |\bmsg=|\\?" \w+=|","\w+":).){0,240}?`;
const REST = String.raw`(?:(?!\\?" \w+=|","\w+":).){0,300}`;

/** The part of a message that has one of these forms, with what stands behind it. */
const saying = (...forms: readonly string[]): RegExp =>
  new RegExp(`${BEGINS}(?<why>${UP_TO}(?:${forms.join('|')})${REST})`, 'i');

const CORRECT = 'Correct the command or the setting that it names; its --help says what it takes';

/**
 * Programs that check what they were given say what is wrong with it, in forms that all of them share ("--a and --b
 * cannot be used together"): their own words are the cause. Whatever says more of a failure comes before them.
 */
export const REFUSAL_READINGS: readonly PlainReading[] = [
  {
    id: 'says-options-clash',
    isVague: true,
    isGeneral: true,
    pattern: saying(
      String.raw`\b(?:can ?not|can't|may not|must not) (?:both )?be (?:used|specified|set|combined|given|provided|true)\b.{0,60}\b(?:together|at the same time|simultaneously|with|when|both)\b`,
      String.raw`\bmutually exclusive\b`,
      String.raw`\b(?:may not|can ?not|can't) both be\b`,
      String.raw`\bonly one of .{3,200}\b(?:may|can|must|should) be\b`,
      String.raw`\b(?:can ?not|can't) (?:combine|use both|use|specify|set) .{1,80}\b(?:together|with|at the same time|and)\b`,
      String.raw`\bconflicting options\b|\bincompatible options\b|\binvalid flag combination\b`,
      String.raw`\bone of .{3,80}, (?:but )?not both\b`,
    ),
    cause: (found) => `Settings are given that exclude each other: ${ownWords(found)}`,
    remedy: 'Leave out one of them',
  },
  {
    id: 'says-option-missing',
    isVague: true,
    isGeneral: true,
    pattern: saying(
      String.raw`\b(?:must|please|need to) (?:specify|provide|supply|give|pass) (?:an?|the|at least|one|exactly|both|source|path|valid|--\S+|image\w*|\w+ for|\w+ with)\b`,
      String.raw`\bmust be (?:set|specified|provided|given|defined)\b|\bmust set \S`,
      String.raw`\b(?:is|are) (?:mandatory\b|required(?! to\b))|\b(?:image|registry|name|argument) required$`,
      String.raw`\brequires? (?:an? |one |the |at least )?(?:--\w|(?:argument|name|value|flag|option)s?\b)`,
      String.raw`\b(?:exactly|at least|at most|expects?|accepts?) .{0,30}\barguments?\b`,
      String.raw`\bmissing (?:required |mandatory )?(?:field|property|parameter|argument|key|option|flag|value)\b`,
      String.raw`\bno (?:\w+ ){1,3}(?:parameter )?(?:specified|provided)\b`,
      String.raw`\b(?:can ?not|can't|must not|may not) be (?:empty|null|nil)\b`,
    ),
    cause: (found) => `Something that the program wants is not given: ${ownWords(found)}`,
    remedy: 'Give it; its --help, or the guide of its configuration, says how',
  },
  {
    id: 'says-not-taken',
    isVague: true,
    isGeneral: true,
    pattern: saying(
      String.raw`\bmust (?:only |either )?(?:be (?:an?|one|of|in|either|greater|larger|less|at (?:least|most)|between|prefixed|strictly|positive|empty|absolute|unique|the same|fully|to|0|\d+)\b|have (?:an?|either|exactly|at least)\b|(?:start|begin|end) with\b|(?:match|contain|consist of|point to|not (?:contain|have|include|end|be))\b)`,
      String.raw`\bshould be (?:an?|one of|in|of|between|greater|less|either|integer)\b`,
      String.raw`\b(?:only (?:supports?|accepts?|allows?)|(?:is|are) only (?:supported|valid|allowed|possible|available)|(?:can|may) only (?:be (?:used|set|specified|given)|contain|point|specify))\b`,
      String.raw`\b(?:is|are) not (?:currently )?(?:an? )?(?:valid|supported|allowed|permitted|recognized|registered)\b`,
      String.raw`\b(?:unsupported|unrecognized|unknown(?! error)|invalid|illegal) (?:[\w.-]+ ){0,4}[\w.-]+:? ["'(\x60\[]\S|\binvalid (?:icsp|idms)-scope\b`,
      String.raw`\b(?:one of the )?supported (?:options|values|formats|commands|actions|modes)\b.{0,20}\bare\b|\bChoose one? ?of the supported\b`,
      String.raw`\bisn't of the form\b|\bnot recognized, must be\b|\bonly (?:one argument|'\w+') is (?:accepted|supported)\b|\bmay not be the same\b`,
      String.raw`\bis not available for\b|\bdoes not exist in targets\b|\bno image tag .{1,80} exists in\b|\bcannot fit into any ICSP\b|\bwith the max-i\w+-size set to\b|\bcontains http\[s\]:// prefix|\bdoes not match project repository filter\b`,
    ),
    cause: (found) => `The program does not take what it was given: ${ownWords(found)}`,
    remedy: CORRECT,
  },
];

const MAX_WORDS = 300;

/** What it says, without what delimits it: a quote that nothing opened. */
function ownWords({ groups }: FoundWords): string {
  const said = (groups.why ?? '').replace(/\\+(["'])/g, '$1').trim();
  const plain = said.replace(/[\s}]+$/, '');
  const bare = (plain.split('"').length - 1) % 2 === 1 ? plain.replace(/"$/, '') : plain;
  return bare.length > MAX_WORDS ? `${bare.slice(0, MAX_WORDS)}…` : bare;
}
