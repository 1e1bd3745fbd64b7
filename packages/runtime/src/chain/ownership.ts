import type { Address, Hex } from '@tollbook/chain/hex'
import { createMessageRecovery } from '@tollbook/chain/message-signer'
import { loadSignerRecovery } from '@tollbook/chain/recover'
import { ConfigError } from '@tollbook/flow/config-error'
import type { Config } from '../config.ts'
import { findBaseUrl } from '../places/addresses.ts'
import { payToOf } from './chain-setting.ts'

/** A host that sells, and the wallet that it is paid to. */
export type PaidHost = { readonly service: string; readonly origin: string; readonly payTo: Address }

/** What the payee wallet signs, by EIP-191: the origin without a trailing slash (x402scan). */
export function originOf({ baseUrl }: { readonly baseUrl: string }): string {
  return new URL(baseUrl).origin
}

/** The hosts of all services that have a payee wallet, with their additional hosts. */
export async function listPaidHosts(config: Config): Promise<readonly PaidHost[]> {
  const wallets = Object.entries(payToOf(config))
  const hosts = wallets.map(async ([service, wallet]) => {
    const payTo = wallet.toLowerCase() as Address
    const aliases = config.services.get(service)?.aliases ?? []
    const baseUrl = await findBaseUrl(config, service)
    const own = baseUrl === null ? [] : [{ baseUrl }]
    return [...own, ...aliases].map((host) => ({ service, origin: originOf(host), payTo }))
  })
  return (await Promise.all(hosts)).flat()
}

/** The configured proofs by origin. @throws ConfigError unless a payee wallet signed its own origin. */
export async function readOwnershipProofs(
  config: Config,
  hosts?: readonly PaidHost[],
): Promise<ReadonlyMap<string, readonly Hex[]>> {
  const proofs = config.TOLLBOOK_OWNERSHIP_PROOFS as readonly Hex[]
  if (proofs.length === 0) return new Map()
  const known = hosts ?? (await listPaidHosts(config))
  const recoverSigner = createMessageRecovery(loadSignerRecovery().recoverSigner)
  const proved = new Map<string, readonly Hex[]>()
  const issues: string[] = []
  for (const [at, proof] of proofs.entries()) {
    const signers = await Promise.all(known.map(({ origin }) => recoverSigner(origin, proof)))
    const matching = known.filter(({ payTo }, index) => signers[index] === payTo)
    for (const { origin } of matching) proved.set(origin, [...(proved.get(origin) ?? []), proof])
    if (matching.length > 0) continue
    const compared = known.map(
      ({ origin, payTo }, index) => `of ${origin} it is by ${signers[index] ?? 'nobody'}, not ${payTo}`,
    )
    issues.push(
      `TOLLBOOK_OWNERSHIP_PROOFS: signature ${at + 1} is not by a payee wallet: ${compared.join('; ') || 'none is set'}`,
    )
  }
  if (issues.length > 0) throw new ConfigError(issues)
  return proved
}
