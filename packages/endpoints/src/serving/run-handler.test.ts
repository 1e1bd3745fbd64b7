import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDiskFull } from '@tollbook/flow/disk-full'
import { ANY_ENDPOINT } from '@tollbook/testing/catalogue/row-endpoints'
import * as z from 'zod'
import { defineEndpoint } from '../endpoint.ts'
import { runHandler } from './run-handler.ts'

const FULL_DISKS = [{ code: 'ERR_SQLITE_ERROR', errcode: 13 }, { code: '53100' }, { code: 'EDQUOT' }]

test('a full disk stays recognizable when the error of a handler loses its secrets', async () => {
  for (const codes of FULL_DISKS) {
    const endpoint = defineEndpoint({
      ...ANY_ENDPOINT,
      id: 'free',
      method: 'GET',
      path: '/api/free',
      pricing: { kind: 'free' },
      input: z.object({ auth_token: z.string() }),
      secrets: ['auth_token'],
      example: { input: { auth_token: 'a' }, output: {} },
      handle: async ({ input }) => {
        throw Object.assign(new Error(`no room for ${input.auth_token}`), codes)
      },
    })
    const call = { input: { auth_token: 'verysecret' }, signal: AbortSignal.timeout(60_000) }
    const error = await runHandler(endpoint, call as never).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof Error && isDiskFull(error))
    assert.equal(error.message, 'no room for [secret]')
  }
})
