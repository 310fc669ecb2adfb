import { parseXML } from '@aws-sdk/xml-builder';

/** An answer in XML: texts and elements by name; what occurs several times is a list. */
export type Xml = string | XmlElement;
interface XmlElement {
  readonly [name: string]: Xml | readonly Xml[] | undefined;
}

/** The root element of a document; an empty one when it is no XML at all. */
export function readXml(text: string): Xml {
  try {
    const document: unknown = text.trimStart().startsWith('<') ? parseXML(text) : {};
    const roots = Object.entries(document as XmlElement).filter(([name]) => name !== '?xml');
    return (roots[0]?.[1] as Xml | undefined) ?? '';
  } catch {
    return '';
  }
}

/** What stands below, or undefined. Of several the first. */
export function under(xml: Xml | undefined, ...path: readonly string[]): Xml | undefined {
  let here: Xml | undefined = xml;
  for (const name of path) here = childrenOf(here, name)[0];
  return here;
}

/** The text below, or an empty one. */
export function textOf(xml: Xml | undefined, ...path: readonly string[]): string {
  const found = under(xml, ...path);
  return typeof found === 'string' ? found : '';
}

/** The members of a list, however the service writes lists. */
export function listOf(xml: Xml | undefined, ...path: readonly string[]): readonly Xml[] {
  const list = under(xml, ...path);
  return ['member', 'item'].flatMap((name) => childrenOf(list, name));
}

/** All elements of a name directly below. */
export function childrenOf(xml: Xml | undefined, name: string): readonly Xml[] {
  if (xml === undefined || typeof xml === 'string') return [];
  const found = xml[name];
  if (found === undefined) return [];
  return (Array.isArray(found) ? found : [found]) as readonly Xml[];
}
