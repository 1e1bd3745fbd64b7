import assert from 'node:assert/strict'
import { applyNow } from '@tollbook/endpoints/effect/effects'
import { ProblemError } from '@tollbook/http/problem'
import { TEST_PAYER, TEST_TIME } from '@tollbook/testing/catalogue/run-endpoint'
import { openSocial, testSessionKeys } from '@tollbook/testing/social/open-social'
import { onEveryState, onSqliteState } from '@tollbook/testing/state/every-state'
import sharp from 'sharp'
import { findImage, stageImage, sweepImages } from '../../../image/image-store.ts'
import { issueSession } from '../../../session/session-store.ts'
import type { State } from '../../../state/state.ts'

const DAY_MS = 86_400_000
const MB = 1024 * 1024
const PIXEL = sharp({ create: { width: 1, height: 1, channels: 3, background: '#0f766e' } })
const PNG = await PIXEL.clone().png().toBuffer()

async function open(state: State) {
  const session = await issueSession(
    { state, keys: testSessionKeys },
    { userId: '11', grant: null, now: TEST_TIME },
  )
  const { service, ask, setTime } = await openSocial(state)
  const credentials = { auth_token: session.authToken, ct0: session.ct0 }
  async function upload(
    content: Uint8Array | string,
    query: Record<string, string> = credentials,
    isPaid = true,
    further: Record<string, string> = {},
  ) {
    const form = new FormData()
    form.append(
      'file',
      new File([typeof content === 'string' ? content : new Uint8Array(content)], 'picture.png', {
        type: 'image/png',
      }),
    )
    const message = new Response(form)
    const bytes = new Uint8Array(await message.arrayBuffer())
    const headers = {
      'content-type': message.headers.get('content-type') ?? '',
      'content-length': `${bytes.byteLength}`,
      ...further,
    }
    return ask(`/tweets/mediaUpload?${new URLSearchParams(query)}`, {
      method: 'POST',
      raw: bytes,
      headers,
      ...(isPaid && { payer: TEST_PAYER }),
    })
  }
  return { service, ask, setTime, credentials, upload }
}

onEveryState('an image of each kind is stored for a day, and read by its media id', async (state) => {
  const { ask, upload, setTime } = await open(state)
  const images = {
    'image/png': PNG,
    'image/jpeg': await PIXEL.clone().jpeg().toBuffer(),
    'image/gif': await PIXEL.clone().gif().toBuffer(),
    'image/webp': await PIXEL.clone().webp().toBuffer(),
  }
  for (const [type, content] of Object.entries(images)) {
    const { status, body } = await upload(content)
    const { media_id, content_type, size_bytes } = body.data
    assert.deepEqual([status, content_type, size_bytes], [200, type, content.byteLength])
    const stored = await ask(`/media/${media_id}`)
    assert.deepEqual([stored.status, stored.headers.get('content-type')], [200, type])
    assert.equal(stored.headers.get('x-content-type-options'), 'nosniff')
    assert.match(stored.headers.get('content-security-policy') ?? '', /default-src 'none'; sandbox/)
    const found = await findImage(state, media_id, TEST_TIME)
    assert.ok(found && Buffer.from(found.content).equals(content))
    // The same image of the same user is stored once.
    assert.equal((await upload(content)).body.data.media_id, media_id)
    setTime(new Date(TEST_TIME.getTime() + DAY_MS - 1))
    assert.equal((await ask(`/media/${media_id}`)).status, 200)
    setTime(new Date(TEST_TIME.getTime() + DAY_MS))
    assert.equal((await ask(`/media/${media_id}`)).status, 404)
    setTime(TEST_TIME)
  }
  await sweepImages(state, new Date(TEST_TIME.getTime() + DAY_MS))
  assert.deepEqual(await state.db.selectFrom('social_image').select('media_id').execute(), [])
})

onSqliteState('a file that is not an image, is too large or has no session is rejected', async (state) => {
  const { credentials, upload } = await open(state)
  const refusal = async (...provided: Parameters<typeof upload>) => {
    const { status, body } = await upload(...provided)
    return `${status} ${(body.problem ?? body).code}`
  }
  const padded = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.byteLength)])
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"/>'
  for (const content of ['', svg, 'GIF88a', '%PDF-1.7', PNG.subarray(1)]) {
    assert.equal(await refusal(content), '415 unsupported_media_type')
    // A short body is read before a payment.
    assert.equal(await refusal(content, credentials, false), '402 unsupported_media_type')
  }
  assert.equal(await refusal(padded(6 * MB)), '413 too_large')
  assert.equal(await refusal(padded(6 * MB), credentials, false), '402 too_large')
  assert.equal(await refusal(padded(5 * MB + 1)), '413 too_large')
  assert.equal((await upload(padded(5 * MB))).status, 200)

  const wrong = { ...credentials, ct0: '0'.repeat(64) }
  assert.equal(await refusal(PNG, wrong), '403 credential_refused')
  assert.equal(await refusal(PNG, wrong, false), '402 credential_refused')
  // A long body is not read before a payment, whose refusal costs nothing.
  assert.equal(await refusal(padded(MB), wrong, false), '402 undefined')
  assert.equal(await refusal(padded(MB), wrong), '403 credential_refused')
  const unknown = { auth_token: '1'.repeat(40), ct0: testSessionKeys.ct0Of('1'.repeat(40)) }
  assert.equal(await refusal(PNG, unknown), '403 credential_refused')
  assert.equal(await refusal(PNG, { auth_token: credentials.auth_token }), '400 invalid_request')

  const headers = { 'x-auth-token': credentials.auth_token, 'x-ct0': credentials.ct0 }
  assert.equal((await upload(PNG, {}, true, headers)).status, 200)
  assert.equal(await refusal(PNG, {}, false, headers), '402 undefined')
  const wrongHeaders = { ...headers, 'x-ct0': wrong.ct0 }
  assert.equal(await refusal(PNG, {}, true, wrongHeaders), '403 credential_refused')
})

onEveryState('neither one user nor all users together can store more than their quotas', async (state) => {
  const quota = { userBytes: 100, allBytes: 250 }
  const keep = (userId: string, fill: number, bytes = 60) =>
    stageImage(
      { state, effects: applyNow, signal: new AbortController().signal },
      { userId, now: TEST_TIME, file: { contentType: 'image/png', bytes: new Uint8Array(bytes).fill(fill) } },
      quota,
    )
  const isFull = (error: unknown) => {
    assert.ok(error instanceof ProblemError && error.problem.code === 'quota_exceeded', String(error))
    return true
  }
  // Of five concurrent uploads, one of 60 bytes fits into the user's 100.
  const stored = await Promise.allSettled([1, 2, 3, 4, 5].map((fill) => keep('1', fill)))
  assert.equal(stored.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const one of stored) if (one.status === 'rejected') isFull(one.reason)
  await keep('2', 1)
  await keep('3', 1)
  await keep('4', 1)
  // 4 * 60 = 240 of 250 are in use.
  await assert.rejects(keep('5', 1, 11), (error) => {
    assert.ok(error instanceof ProblemError && error.problem.code === 'quota_exceeded')
    assert.deepEqual(error.problem.members, { bytes_needed: 11, bytes_free: 10 })
    return true
  })
  await keep('5', 1, 10)
})
