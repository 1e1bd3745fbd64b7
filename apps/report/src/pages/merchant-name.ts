import type { MerchantReport } from '@tollbook/verify/build/merchant-report'

/** The heading of a merchant's page, and the name that the page shows below it as unconfirmed. */
export type ShownName = {
  /** Null when the address is shown instead of a name. */
  readonly name: string | null
  /** Null when the name is confirmed or there is none. */
  readonly unconfirmed: string | null
}

export type NamedMerchant = {
  readonly address: string
  /** A host, or the address itself. */
  readonly name: string
  readonly name_confirmed: boolean
}

/** A name that only one catalogue lists never replaces the address. */
export function toShownName({ address, name, name_confirmed: isConfirmed }: NamedMerchant): ShownName {
  if (name === address) return { name: null, unconfirmed: null }
  return isConfirmed ? { name, unconfirmed: null } : { name: null, unconfirmed: name }
}

/** The report as shown while its name is not confirmed: with the address, also in its claim sentence. */
export function withoutName(report: MerchantReport): MerchantReport {
  const { address, name, claim } = report
  return { ...report, name: address, claim: claim.replace(name, () => address) }
}
