import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { type DevChain, startDevChain } from '@tollbook/devchain/dev-chain'
import { Unreachable } from '@tollbook/flow/failure'
import {
  placeWalletFactory,
  planWallet,
  WALLET_FACTORY,
  wrapSignature,
} from '@tollbook/testing/chain/dev-wallet'
import { erc6492SignatureValidatorByteCode, type Hex, keccak256, numberToHex, pad } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { DEV_CLIENT_ADDRESSES, DEV_CLIENT_KEYS } from './dev-accounts.ts'
import type { Address } from './hex.ts'
import { createReadRpc } from './rpc/read-rpc.ts'
import { SIGNATURE_VALIDATOR } from './signature-validator.ts'
import { createWalletSignatures, type WalletSignatures } from './wallet-signatures.ts'

const MESSAGE = 'tollbook.example wants you to sign in with your Ethereum account:\nand so on'
const NEVER = new AbortController().signal
/** Order of secp256k1 (SEC 2, section 2.4.1). */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

let chain: DevChain
let wallets: WalletSignatures
let owner: PrivateKeyAccount
let stranger: PrivateKeyAccount
before(async () => {
  chain = await startDevChain({ port: 0 })
  wallets = createWalletSignatures(createReadRpc({ url: chain.rpcUrl }))
  owner = privateKeyToAccount(DEV_CLIENT_KEYS[0])
  stranger = privateKeyToAccount(DEV_CLIENT_KEYS[1])
  await placeWalletFactory(chain)
})
after(() => chain.close())

const sign = (account: PrivateKeyAccount, message = MESSAGE) => account.signMessage({ message })
const isSigned = (address: Hex, signature: Hex, message = MESSAGE) =>
  wallets.isSignedBy({ address: address.toLowerCase() as Address, message, signature }, NEVER)

const plan = (salt: Hex) => planWallet(chain, owner, salt)

test('a key proves its own wallet only', async () => {
  const signature = await sign(owner)
  assert.equal(await isSigned(owner.address, signature), true)
  assert.equal(await isSigned(stranger.address, signature), false)
  assert.equal(await isSigned(owner.address, signature, `${MESSAGE} `), false)
})

test('the malleable twin of a signature is rejected in every form', async () => {
  const signature = await sign(owner)
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  const twinS = numberToHex(ORDER - s, { size: 32 }).slice(2)
  const v = signature.endsWith('1b') ? '1c' : '1b'
  const twin = `${signature.slice(0, 66)}${twinS}${v}` as Hex
  assert.equal(await isSigned(owner.address, twin), false)
  const zeroV = `${twin.slice(0, 130)}${v === '1b' ? '00' : '01'}` as Hex
  assert.equal(await isSigned(owner.address, zeroV), false)
  assert.equal(await isSigned(owner.address, wrapSignature('0x', twin)), false)
  for (const broken of ['0x00', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, `${signature}00`] as const)
    assert.equal(await isSigned(owner.address, broken), false, broken)
})

test('a deployed wallet proves itself by its own rule (ERC-1271)', async () => {
  const { address: wallet, deployment } = await plan(pad('0x01'))
  await chain.rpc.call('eth_sendTransactionSync', [
    { from: DEV_CLIENT_ADDRESSES[0], to: WALLET_FACTORY, data: deployment },
  ])
  assert.notEqual(await chain.rpc.call('eth_getCode', [wallet, 'latest']), '0x')
  assert.equal(await isSigned(wallet, await sign(owner)), true)
  assert.equal(await isSigned(wallet, await sign(stranger)), false)
  assert.equal(await isSigned(wallet, await sign(owner, 'another text')), false)
})

test('a wallet that is not deployed yet proves itself by its factory (ERC-6492)', async () => {
  const { address: wallet, wrap } = await plan(keccak256('0x02'))
  assert.equal(await isSigned(wallet, wrap(await sign(owner))), true)
  assert.equal(await isSigned(wallet, wrap(await sign(stranger))), false)
  assert.equal(await isSigned(wallet, await sign(owner)), false)
  // The factory creates a different wallet from the claimed one.
  const other = await plan(keccak256('0x03'))
  assert.equal(await isSigned(wallet, other.wrap(await sign(owner))), false)
  assert.equal(await chain.rpc.call('eth_getCode', [wallet, 'latest']), '0x')
})

test('a hostile wallet gets an answer, whatever its code does', async () => {
  const codes = {
    // INVALID, and an infinite loop: JUMPDEST PUSH1 0 JUMP.
    invalid: '0xfe',
    endless: '0x5b600056',
    // PUSH3 size PUSH1 0 REVERT or RETURN, of 2 MB of zeros.
    revertBomb: '0x621e84806000fd',
    returnBomb: '0x621e84806000f3',
    // The magic value in the wrong half of the word; nothing; one byte of it.
    wrongHalf: '0x631626ba7e60005260206000f3',
    nothing: '0x00',
    short: '0x601660005360016000f3',
  }
  for (const [name, code] of Object.entries(codes)) {
    const wallet = '0x0000000000000000000000000000000000bad001'
    await chain.rpc.call('anvil_setCode', [wallet, code])
    assert.equal(await isSigned(wallet, '0x1234'), false, name)
    assert.equal(await isSigned(wallet, wrapSignature('0x', '0x1234', wallet)), false, name)
  }
})

test('an unreachable chain is not a rejection, and keys do not need the chain', async () => {
  const dead = createServer((_request, response) => response.writeHead(503).end())
  const slow = createServer(() => {})
  const confused = createServer((_request, response) =>
    response.end('{"jsonrpc":"2.0","id":0,"error":{"code":-32005,"message":"limit exceeded"}}'),
  )
  for (const server of [dead, slow, confused]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const cut = createWalletSignatures(createReadRpc({ url, attempts: 1, timeoutMs: 300 }))
    const signed = { address: owner.address.toLowerCase() as Address, message: MESSAGE }
    await assert.rejects(cut.isSignedBy({ ...signed, signature: '0x1234' }, NEVER), Unreachable)
    assert.equal(await cut.isSignedBy({ ...signed, signature: await sign(owner) }, NEVER), true)
    server.closeAllConnections()
    server.close()
  }
  const signed = {
    address: owner.address.toLowerCase() as Address,
    message: MESSAGE,
    signature: '0x12',
  } as const
  assert.equal(await createWalletSignatures().isSignedBy(signed, NEVER), false)
  await assert.rejects(wallets.isSignedBy(signed, AbortSignal.abort(new Error('gone'))), /gone/)
})

test('the validator is that of viem', () => {
  assert.equal(SIGNATURE_VALIDATOR, erc6492SignatureValidatorByteCode)
})
