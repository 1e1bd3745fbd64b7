import assert from 'node:assert/strict'
import { onEveryState } from '@tollbook/testing/state/every-state'
import { openWalletService } from '@tollbook/testing/wallets/wallet-service'

const payer = '0x00000000000000000000000000000000000000a1'

/** 2^53 + 1 and 2^64, neither of which a double can represent, and a decimal of 25 digits. */
const BIG = { id53: '9007199254740993', id64: '18446744073709551616', share: '0.1234567890123456789012345' }
const ROW = `{"id53":${BIG.id53},"deep":[{"id64":${BIG.id64}}],"share":${BIG.share},"small":1.5}`

onEveryState('numbers keep all their digits when rows are written, read and filtered', async (state) => {
  const { ask } = openWalletService(state)
  const asPayer = (path: string, init = {}) => ask(`/api/store${path}`, { payer, ...init })
  const appended = await asPayer('/n', { method: 'POST', body: `[${ROW},{"id53":9007199254740992}]` })
  assert.equal(appended.status, 201)
  // The row as sent, the 25 bytes of {"id53":9007199254740992}, and a name of one letter.
  assert.equal(appended.body.bytes_used, ROW.length + 25 + 1)
  const provided = ROW.slice(1)
  for (const path of ['/n/1', '/n?limit=1', '/n?format=ndjson&limit=1', '/export'])
    assert.ok((await asPayer(path)).text.includes(provided), path)
  const csv = await asPayer('/n?format=csv&fields=id53,deep,share&limit=1')
  assert.equal(csv.text, `id,id53,deep,share\r\n1,${BIG.id53},"[{""id64"":${BIG.id64}}]",${BIG.share}\r\n`)
  const idsOf = async (search: string) =>
    (await asPayer(`/n?${search}`)).body.rows.map((row: { id: number }) => row.id)
  assert.deepEqual(await idsOf(`where.id53=${BIG.id53}`), [1])
  assert.deepEqual(await idsOf('where.id53=9007199254740992'), [2])
  assert.deepEqual(await idsOf('where.id53.gt=9007199254740992'), [1])
  assert.deepEqual(await idsOf('where.share.lt=0.1234567890123456789012346'), [1])
  const patch = { method: 'PATCH', body: `{"deep":null,"id64":${BIG.id64}}` }
  const patched = (await asPayer('/n/1', patch)).text
  assert.ok(
    patched.includes(`"id53":${BIG.id53},"share":${BIG.share},"small":1.5,"id64":${BIG.id64}}`),
    patched,
  )
  const put = await asPayer('/n/2', { method: 'PUT', body: `{"a":${BIG.id64}}` })
  assert.ok(put.text.includes(`"a":${BIG.id64}}`), put.text)
  // A number is not a row.
  for (const body of [BIG.id64, `[${BIG.id64}]`, `{"rows":[${BIG.id64}]}`])
    assert.equal((await asPayer('/n', { method: 'POST', body })).status, 400, body)
  assert.equal((await asPayer('/n/1', { method: 'PUT', body: BIG.id64 })).status, 400)
})
