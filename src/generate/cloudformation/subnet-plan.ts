import { AtollError } from '../../core/errors.ts';
import { type Cidr, formatCidr, isCanonical, parseCidr } from '../ip.ts';

/** Address ranges of the subnets in one zone. */
export interface ZoneRanges {
  readonly private: string;
  readonly public: string;
}

/** The range is cut into eight: up to three private parts, up to three public ones, two are spare. */
const PARTS_BITS = 3;
const FIRST_PUBLIC_PART = 4;
const WIDEST = 16;
const NARROWEST = 24;

/** Cuts the range of a VPC into subnets, for each zone the same wherever it is computed. */
export function subnetPlan(cidr: string, zones: number): ZoneRanges[] {
  const range = checkVpcRange(cidr);
  return Array.from({ length: zones }, (_, zone) => ({
    private: part(range, zone),
    public: part(range, FIRST_PUBLIC_PART + zone),
  }));
}

function part(range: Cidr, index: number): string {
  const prefix = range.prefix + PARTS_BITS;
  const value = range.value + (BigInt(index) << BigInt(32 - prefix));
  return formatCidr({ family: 4, value, prefix });
}

function checkVpcRange(cidr: string): Cidr {
  const range = parseCidr(cidr);
  const fits = range?.family === 4 && range.prefix >= WIDEST && range.prefix <= NARROWEST;
  if (range && fits && isCanonical(range)) return range;
  throw new AtollError('INPUT_INVALID', `Cannot make a VPC with the range "${cidr}"`, {
    hint: `Use an IPv4 range of /${WIDEST} to /${NARROWEST} without host bits, such as 10.0.0.0/16`,
  });
}
