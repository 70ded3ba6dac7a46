import { describe, expect, it } from 'vitest';
import { createHooks } from '../../runtime/kernel/hooks.ts';
import { silentLogger } from '../../runtime/kernel/log.ts';
import { Rooms } from '../../runtime/kernel/rooms.ts';

describe('notification hooks', () => {
  it('name and skip a plugin that throws, and the others still hear', () => {
    const rooms = new Rooms([], silentLogger);
    const hooks = createHooks(rooms);
    const heard: string[] = [];
    hooks.event.tap('first', () => heard.push('first'));
    hooks.event.tap('broken', () => {
      throw new Error('no');
    });
    hooks.event.tap('last', () => heard.push('last'));
    hooks.event.call({ type: 'heartbeat', seq: 1, status: 204 });
    expect(heard).toEqual(['first', 'last']);
    expect(rooms.faults).toMatchObject([{ room: 'broken', where: 'event', error: 'no', times: 1 }]);
  });

  it('are no others than those of this release, which says so', () => {
    const hooks = createHooks(new Rooms([], silentLogger));
    expect(() => Reflect.get(hooks, 'coffee')).toThrow('this node has no hook coffee');
    expect(String(hooks)).toBe('[object Object]');
  });

  it('cannot be replaced', () => {
    expect(Object.isFrozen(createHooks(new Rooms([], silentLogger)))).toBe(true);
  });
});
