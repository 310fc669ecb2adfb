/**
 * The zones that machines most often have, by the names that `journalctl` prints. Not here are those that mean several:
 * CST is Chicago, Shanghai and Havana. IST is India's nearly always, BST London's, PST that of the west of America.
 */
const OFFSETS: Readonly<Record<string, string>> = {
  WEST: '+01:00',
  BST: '+01:00',
  CET: '+01:00',
  CEST: '+02:00',
  EET: '+02:00',
  EEST: '+03:00',
  MSK: '+03:00',
  WAT: '+01:00',
  CAT: '+02:00',
  SAST: '+02:00',
  EAT: '+03:00',
  IDT: '+03:00',
  PKT: '+05:00',
  IST: '+05:30',
  WIB: '+07:00',
  WITA: '+08:00',
  WIT: '+09:00',
  HKT: '+08:00',
  JST: '+09:00',
  KST: '+09:00',
  AWST: '+08:00',
  ACST: '+09:30',
  ACDT: '+10:30',
  AEST: '+10:00',
  AEDT: '+11:00',
  NZST: '+12:00',
  NZDT: '+13:00',
  NST: '-03:30',
  NDT: '-02:30',
  AST: '-04:00',
  ADT: '-03:00',
  EST: '-05:00',
  EDT: '-04:00',
  CDT: '-05:00',
  MST: '-07:00',
  MDT: '-06:00',
  PST: '-08:00',
  PDT: '-07:00',
  AKST: '-09:00',
  AKDT: '-08:00',
  HST: '-10:00',
};

/** `+02`, `+0530` and `CEST` as a date wants them. For a name that tells no offset: the machines of a cluster run on UTC. */
export function offsetOf(zone: string): string {
  const [, hours, minutes = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? [];
  return hours === undefined ? (OFFSETS[zone] ?? 'Z') : `${hours}:${minutes}`;
}
