import { awsPlatform as platformOf } from '../../generate/cloudformation/stack-outputs.ts';
import { definePlatform, type InstallPart } from '../platform.ts';
import { networkFiles, parseMade } from './made-network.ts';
import { type AwsSettings, awsSettingsSchema } from './settings.ts';

/** Machines on EC2, in a network of CloudFormation stacks. */
export const awsPlatform = definePlatform({
  name: 'aws',
  summary: 'Amazon Web Services',
  settings: awsSettingsSchema,
  environment: [{ variable: 'BASTION_HOST_AMI', path: ['bastion', 'ami'] }],
  init: { example: { region: 'us-east-1' }, asks: { region: 'AWS region' } },
  makesBastion: true,
  // Neither kind of site is for the internet, and here the installer has to be told.
  installPlatform: (settings, { made }) => ({
    publish: 'Internal',
    platform: made === undefined ? named(settings) : platformOf(parseMade(made), settings.region),
  }),
  sharedFiles: networkFiles,
  // Most commands ask the row alone, and need neither the client nor its credentials.
  open: async (site) => {
    const { AWS_WORLD, openAws } = await import('./open-aws.ts');
    return openAws(site, AWS_WORLD);
  },
});

/** A network that is still to be made is known when it is there. */
function named({ region, zones, subnets, hostedZone }: AwsSettings): InstallPart['platform'] {
  if (subnets === undefined) return undefined;
  return { type: 'aws', region, zones, subnets: subnets.map((id) => ({ id })), hostedZone };
}
