import { AtollError } from '../../core/errors.ts';
import { toYaml } from '../../core/yaml.ts';

// Functions of CloudFormation are always written in their long form (`Fn::Sub`, never `!Sub`), so
// that every YAML reader can read a template.

/** A value, or a function that makes one when the stack is created. */
export type Value =
  | string
  | number
  | boolean
  | readonly Value[]
  | { readonly [key: string]: Value };

export interface TemplateParameter {
  readonly Type: string;
  readonly Description: string;
  readonly Default?: string;
}

export interface TemplateResource {
  readonly Type: string;
  readonly DependsOn?: string;
  readonly DeletionPolicy?: 'Delete' | 'Retain';
  readonly UpdateReplacePolicy?: 'Delete' | 'Retain';
  readonly Properties?: Readonly<Record<string, Value>>;
}

export interface Output {
  readonly Description: string;
  readonly Value: Value;
}

/** What one feature adds to a template. Parts are independent and add up. */
export interface TemplatePart {
  readonly parameters?: Readonly<Record<string, TemplateParameter>>;
  readonly resources?: Readonly<Record<string, TemplateResource>>;
  readonly outputs?: Readonly<Record<string, Output>>;
}

export interface Template {
  readonly AWSTemplateFormatVersion: '2010-09-09';
  readonly Description: string;
  readonly Parameters?: Readonly<Record<string, TemplateParameter>>;
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, Output>>;
}

/** A resource; what is no property of it comes last. */
export const resource = (
  type: string,
  properties: Readonly<Record<string, Value>>,
  more: Omit<TemplateResource, 'Type' | 'Properties'> = {},
): TemplateResource => ({ Type: type, ...more, Properties: properties });
export const output = (description: string, value: Value): Output => ({
  Description: description,
  Value: value,
});
export const parameter = (
  type: string,
  description: string,
  known?: string,
): TemplateParameter => ({
  Type: type,
  Description: description,
  ...(known === undefined ? {} : { Default: known }),
});
/** A policy document of these statements. */
export const policy = (...statements: readonly Value[]): Value => ({
  Version: '2012-10-17',
  Statement: statements,
});

export const ref = (name: string): Value => ({ Ref: name });
export const getAtt = (name: string, attribute: string): Value => ({
  'Fn::GetAtt': [name, attribute],
});
/** Stands for a value inside the text of {@link sub}. */
export const hole = (name: string): string => `\${${name}}`;
/** Text whose holes are filled. Nothing of a site goes into it unchecked. */
export const sub = (text: string): Value => ({ 'Fn::Sub': text });
export const commaJoined = (values: readonly Value[]): Value =>
  values.length === 1 && values[0] !== undefined ? values[0] : { 'Fn::Join': [',', values] };

/** What CloudFormation takes with a request; more would have to come from a bucket. */
export const MAX_TEMPLATE_BYTES = 51_200;

/** One template from many parts. */
export function templateFrom(description: string, parts: readonly TemplatePart[]): Template {
  const parameters = together(parts, 'parameters');
  const outputs = together(parts, 'outputs');
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: description,
    ...(Object.keys(parameters).length > 0 ? { Parameters: parameters } : {}),
    Resources: together(parts, 'resources'),
    ...(Object.keys(outputs).length > 0 ? { Outputs: outputs } : {}),
  };
}

function together<K extends keyof TemplatePart>(
  parts: readonly TemplatePart[],
  key: K,
): NonNullable<TemplatePart[K]> {
  const entries = parts.flatMap((part) => Object.entries(part[key] ?? {}));
  const names = entries.map(([name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) {
    throw new AtollError('INPUT_INVALID', `Cannot make a template with two ${key} "${twice}"`, {
      hint: 'Two names of the input differ only in dots and dashes; rename one',
    });
  }
  return Object.fromEntries(entries) as NonNullable<TemplatePart[K]>;
}

/** The template as YAML. */
export function formatTemplate(template: Template): string {
  const text = toYaml(template);
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_TEMPLATE_BYTES) return text;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot make the template "${template.Description}": it has ${bytes} bytes, and CloudFormation takes ${MAX_TEMPLATE_BYTES}`,
    { hint: 'Ask for less in one stack: fewer requests, fewer tags', details: { bytes } },
  );
}
