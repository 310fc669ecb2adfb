import type { Command } from '../../command.ts';
import { releaseExtractCommand } from './extract.ts';
import { releaseImageForCommand } from './image-for.ts';
import { releaseImagesCommand } from './images.ts';
import { releaseInfoCommand } from './info.ts';
import { releaseVerifyCommand } from './verify.ts';

export const RELEASE_COMMANDS: readonly Command[] = [
  releaseInfoCommand,
  releaseImagesCommand,
  releaseImageForCommand,
  releaseExtractCommand,
  releaseVerifyCommand,
];
