import * as z from 'zod';
import { installerPolicy } from '../../../../generate/credentials/installer-policy.ts';
import { sitePolicy } from '../../../../generate/credentials/site-policy.ts';
import { choice, text } from '../flags.ts';
import { renderTarget } from '../target.ts';

export const awsPolicyTarget = renderTarget({
  name: 'aws-policy',
  summary: 'The least that whoever runs atoll, or the installer, may do in an AWS account',
  schema: z.object({
    name: text('SITE', 'Name of the site: what is made is bounded by it'),
    for: choice(
      'WHOM',
      ['site', 'installer'],
      'atoll up and down, or openshift-install in subnets that are there',
    ).default('site'),
    partition: choice('NAME', ['aws', 'aws-cn', 'aws-us-gov'], 'Partition of the account').default(
      'aws',
    ),
  }),
  examples: {
    'atoll render aws-policy --name site --to policy.json': 'for "aws iam create-policy"',
    'atoll render aws-policy --name site --for installer': 'for the user the installer runs as',
  },
  fromSite: (inputs) => ({ name: inputs.network().site }),
  make: (options) => {
    const policy =
      options.for === 'site' ? sitePolicy(options.name, options.partition) : installerPolicy();
    return `${JSON.stringify(policy, null, 2)}\n`;
  },
});
