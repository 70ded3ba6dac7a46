import { describe, expect, it } from 'vitest';
import { createHooks } from '../../runtime/kernel/hooks.ts';

describe('notification hooks', () => {
  it('name and skip a plugin that throws, and the others still hear', () => {
    const faults: string[] = [];
    const hooks = createHooks(({ plugin, hook, error }) =>
      faults.push(`${plugin} in ${hook}: ${(error as Error).message}`),
    );
    const heard: string[] = [];
    hooks.event.tap('first', () => heard.push('first'));
    hooks.event.tap('broken', () => {
      throw new Error('no');
    });
    hooks.event.tap('last', () => heard.push('last'));
    hooks.event.call({ type: 'heartbeat', seq: 1, status: 204 });
    expect(heard).toEqual(['first', 'last']);
    expect(faults).toEqual(['broken in event: no']);
  });

  it('cannot be replaced', () => {
    expect(Object.isFrozen(createHooks(() => {}))).toBe(true);
  });
});
