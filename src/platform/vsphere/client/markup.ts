/** XML that is ready to be sent: texts in it are escaped. */
export interface Markup {
  readonly markup: string;
}

/** A reference to an object of a vCenter. */
export interface Ref {
  readonly type: string;
  readonly value: string;
}

type Content = string | number | boolean | readonly Markup[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);

/** An element with text or elements in it. */
export function tag(
  name: string,
  content: Content,
  attributes: Readonly<Record<string, string>> = {},
): Markup {
  const shown = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`);
  const inside = Array.isArray(content)
    ? content.map(({ markup }) => markup).join('')
    : escaped(String(content));
  return { markup: `<${name}${shown.join('')}>${inside}</${name}>` };
}

/** An element that stands for an object. */
export const refTag = (name: string, { type, value }: Ref): Markup => tag(name, value, { type });

/** An element of a type that the schema leaves open. */
export const typedTag = (name: string, type: string, content: Content): Markup =>
  tag(name, content, { 'xsi:type': type });

/** A SOAP request that calls a method of an object. */
export function envelope(method: string, target: Ref, fields: readonly Markup[]): string {
  const call = tag(method, [refTag('_this', target), ...fields], { xmlns: 'urn:vim25' });
  const spaces = {
    'xmlns:soapenv': 'http://schemas.xmlsoap.org/soap/envelope/',
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
  };
  const body = tag('soapenv:Envelope', [tag('soapenv:Body', [call])], spaces);
  return `<?xml version="1.0" encoding="UTF-8"?>${body.markup}`;
}
