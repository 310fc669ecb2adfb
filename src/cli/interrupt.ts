import { setMaxListeners } from 'node:events';
import { AtollError } from '../core/errors.ts';

export type Signal = 'SIGINT' | 'SIGTERM';

/** Where signals come from: `process`, or an emitter in a test. */
export interface SignalSource {
  readonly on: (signal: Signal, handler: () => void) => unknown;
  readonly off: (signal: Signal, handler: () => void) => unknown;
}

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Stops listening. */
  readonly release: () => void;
}

export interface InterruptOptions {
  /** Says that the stop is under way. */
  readonly announce: (signal: Signal) => void;
  /** Leaves at once. */
  readonly leave: () => void;
  /** The command line that goes on where this run stopped. */
  readonly resume: string;
}

/** The first Ctrl-C asks for a clean stop through the signal; the second leaves at once. */
export function listenForInterrupt(source: SignalSource, options: InterruptOptions): Interrupt {
  const controller = new AbortController();
  // Every request under way listens; Node would take more than ten for a leak and warn.
  setMaxListeners(0, controller.signal);
  const onSignal = (signal: Signal) => {
    if (controller.signal.aborted) return options.leave();
    options.announce(signal);
    controller.abort(interrupted(options.resume));
  };
  const onInterrupt = () => onSignal('SIGINT');
  const onTerminate = () => onSignal('SIGTERM');
  source.on('SIGINT', onInterrupt);
  source.on('SIGTERM', onTerminate);
  const release = () => {
    source.off('SIGINT', onInterrupt);
    source.off('SIGTERM', onTerminate);
  };
  return { signal: controller.signal, release };
}

function interrupted(resume: string): AtollError {
  return new AtollError('INTERRUPTED', 'Stopped before the end: interrupted', {
    hint: `Run the same command again to go on, what is finished is kept: ${resume}`,
  });
}
