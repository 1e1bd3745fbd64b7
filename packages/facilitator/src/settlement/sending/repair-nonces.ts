import type { Hex } from '@tollbook/chain/hex'
import type { ContractCall } from '@tollbook/chain/multicall'
import { readTransaction } from '@tollbook/chain/read-transaction'
import type { FeeSource, Fees } from '../chain/fees.ts'
import { broadcast } from './broadcast.ts'
import type { SignerRow } from './nonce-store.ts'
import type { Wallet } from './wallet.ts'

/** An empty transfer to the wallet itself, the cheapest transaction there is. */
const FILLER_GAS = 21_000n
/** By then the process that sent it would have raised the fee itself. */
const RAISE_AFTER_MS = 60_000

/**
 * Keeps the wallet's nonces moving: transactions that another process stored and perhaps never sent are sent
 * again, and a nonce under which nothing was stored is used by an empty transaction. Otherwise every later
 * transaction would wait for the gap.
 * @returns how many rows it worked on.
 */
export async function repairNonces(
  wallet: Wallet,
  fees: FeeSource,
  now: () => number = Date.now,
): Promise<number> {
  const count = await wallet.refreshCount()
  const rows = (await wallet.nonces.leaseStale(count)).filter(({ nonce }) => !wallet.active.has(nonce))
  for (const row of rows) {
    const raw = await rawToSend(wallet, fees, row, now)
    if (raw) await broadcast(wallet.chain, raw)
  }
  await wallet.nonces.forget(count)
  return rows.length
}

async function rawToSend(
  wallet: Wallet,
  fees: FeeSource,
  row: SignerRow,
  now: () => number,
): Promise<Hex | null> {
  if (!row.raw) {
    const filler = { call: { to: wallet.signer.address, data: '0x' }, gas: FILLER_GAS } as const
    return signAndStore(wallet, row, { ...filler, fees: await fees.current() })
  }
  if (now() - row.created_at < RAISE_AFTER_MS) return row.raw
  const { to, data, gas, maxFeePerGas, maxPriorityFeePerGas } = readTransaction(row.raw)
  if (!to) return row.raw
  const current = await fees.current()
  // Its fee is still high enough: it only has to be sent again.
  if (current.maxFeePerGas <= maxFeePerGas) return row.raw
  const raised = await fees.raised({ maxFeePerGas, maxPriorityFeePerGas })
  if (!raised) return row.raw
  return signAndStore(wallet, row, { call: { to, data }, gas, fees: raised })
}

async function signAndStore(
  wallet: Wallet,
  row: SignerRow,
  transaction: { readonly call: ContractCall; readonly gas: bigint; readonly fees: Fees },
): Promise<Hex | null> {
  const { signer, chain } = wallet
  const fields = { nonce: row.nonce, ...transaction }
  const { raw } = await signer.signTransaction(chain.access.network.chainId, fields)
  // The statement that stores a transaction may have waited in the database until now.
  const store = row.raw ? wallet.nonces.replace(row.nonce, raw) : wallet.nonces.approve(row.nonce, raw, [])
  return (await store) ? raw : null
}
