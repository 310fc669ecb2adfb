import { AtollError } from '../../core/errors.ts';
import { hole, sub, type Value } from './template.ts';

const SOURCE =
  /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(?<key>[A-Za-z0-9!_.'()/+=@,-]+)$/;

/**
 * The name of exactly one object in a policy. A star or question mark in a key would match others,
 * so it is refused.
 */
export function objectArn(source: string): Value {
  const found = SOURCE.exec(source)?.groups as { bucket: string; key: string } | undefined;
  if (found) return sub(`arn:${hole('AWS::Partition')}:s3:::${found.bucket}/${found.key}`);
  throw new AtollError('INPUT_INVALID', `Cannot give access to exactly "${source}"`, {
    hint: 'Write s3://BUCKET/KEY with a key of letters, digits and _ . - /, and no version',
  });
}
