import { findNetwork } from '@tollbook/chain/network'
import type { DiscoveryDeclaration } from '../contract/offered-route.ts'
import type { FullPaymentRequired } from './payment-required.ts'

/** One entry of `accepts` in x402 version 1 (specs/x402-specification-v1.md, PaymentRequirements). */
export type RequirementsV1 = {
  readonly scheme: 'exact'
  /** The name of version 1, such as `base`. */
  readonly network: string
  /** Micro-USDC. */
  readonly maxAmountRequired: string
  readonly resource: string
  readonly description: string
  readonly mimeType: string
  /** How the resource is called, and an example of its answer. */
  readonly outputSchema: { readonly input: unknown; readonly output?: unknown }
  readonly payTo: string
  readonly maxTimeoutSeconds: number
  readonly asset: string
  readonly extra: Readonly<Record<string, unknown>>
}

/** The same offer in version 1, which has only `exact`; empty without such terms. */
export function buildRequirementsV1({
  resource,
  accepts,
  extensions,
}: FullPaymentRequired): readonly RequirementsV1[] {
  const { info } = extensions.bazaar as Pick<DiscoveryDeclaration, 'info'>
  const { example } = (info.output ?? {}) as { readonly example?: unknown }
  const outputSchema = { input: info.input, ...(example !== undefined && { output: example }) }
  return accepts.flatMap(({ scheme, amount, ...terms }) => {
    const network = findNetwork(terms.network)
    if (scheme !== 'exact' || !network) return []
    const { url, description, mimeType } = resource
    const { payTo, maxTimeoutSeconds, asset, extra } = terms
    return {
      scheme,
      network: network.nameV1,
      maxAmountRequired: amount,
      resource: url,
      description,
      mimeType,
      outputSchema,
      payTo,
      maxTimeoutSeconds,
      asset,
      extra,
    }
  })
}
