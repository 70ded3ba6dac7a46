/** The room `update`: firmware updates, revert to the factory image, restarts (specification 2.12, 3.2, 5.10, 5.11). */
import { MAX_IMAGE_BYTES } from '../../image/format.ts';
import { definePlugin, routesOf } from '../../kernel/plugin.ts';
import { RestartCommand, Restarting, UpdateInstalled, UpdateRequest, UpdateStored, UploadHeaders } from './contract.ts';
import { errors } from './errors.ts';
import { Installer, RESTART_HOLD_MS } from './installer.ts';
import { answerTo, isRevertAlone, ownerWasHere } from './requests.ts';
import { uploadOf } from './upload.ts';

const route = routesOf<Installer>();

export default definePlugin({
  name: 'update',
  api: 2,
  requires: ['settings'],
  limits: { imageBytes: MAX_IMAGE_BYTES, restartHoldMs: RESTART_HOLD_MS },
  errors,
  routes: [
    route({
      method: 'POST',
      path: '/update',
      tier: 'update',
      summary: 'upload an image and restart with it',
      headers: UploadHeaders,
      upload: { type: 'application/octet-stream', limitBytes: MAX_IMAGE_BYTES },
      response: UpdateInstalled,
      errors: [
        'ota_locked',
        'ota_busy',
        'no_launcher',
        'image_invalid',
        'image_too_large',
        'image_digest_mismatch',
        'image_wrong_variant',
        'invalid_body',
        'ota_write_failed',
      ],
      before: ({ room, request, admission }) => {
        room.requireInstallable();
        room.requireSlots();
        uploadOf(request, room.limitBytes, admission);
      },
      handle: async ({ node, room, request, admission }) => {
        const installed = await room.install(uploadOf(request, room.limitBytes, admission), 'now');
        await ownerWasHere(node);
        return { ok: true, ...installed };
      },
    }),
    route({
      method: 'PUT',
      path: '/update',
      tier: 'admin',
      tierOf: (body) => (isRevertAlone(body) ? 'strict' : 'admin'),
      summary: 'check for updates, enable or disable them, set the update key, or boot the factory image',
      body: { schema: UpdateRequest, invalid: 'invalid_config' },
      response: UpdateStored,
      errors: [
        'api_locked',
        'ota_locked',
        'invalid_config',
        'update_disabled',
        'restart_pending',
        'cloud_not_configured',
        'ota_busy',
        'no_launcher',
        'ota_write_failed',
        'persist_failed',
        'image_invalid',
        'image_wrong_variant',
        'image_digest_mismatch',
      ],
      handle: answerTo,
    }),
    route({
      method: 'POST',
      path: '/restart',
      tier: 'admin',
      summary: 'restart the node',
      body: { schema: RestartCommand, invalid: 'invalid_command' },
      response: Restarting,
      errors: ['api_locked', 'invalid_command'],
      handle: ({ room }) => ({ ok: true, inMs: room.restart() }),
    }),
  ],
  offers: (node) => new Installer(node),
  room: (_node, installer) => installer,
});
