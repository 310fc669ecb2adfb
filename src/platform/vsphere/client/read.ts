import { under, type Xml } from '../../shared/xml.ts';
import type { Ref } from './markup.ts';

/** The text below, also of an element with attributes. */
export function textIn(xml: Xml | undefined, ...path: readonly string[]): string {
  const found = under(xml, ...path);
  if (typeof found === 'string') return found;
  const text = under(found, '#text');
  return typeof text === 'string' ? text : '';
}

/** The object that an element stands for; undefined where there is none. */
export function refIn(xml: Xml | undefined, ...path: readonly string[]): Ref | undefined {
  const found = under(xml, ...path);
  const type = textIn(found, 'type');
  return type === '' ? undefined : { type, value: textIn(found) };
}

/** The type that an element says it has, in whichever prefix the server writes it. */
export function typeOf(xml: Xml | undefined): string {
  if (xml === undefined || typeof xml === 'string') return '';
  const name = Object.keys(xml).find((key) => key.endsWith(':type')) ?? '';
  return textIn(xml, name).replace(/^.*:/, '');
}
