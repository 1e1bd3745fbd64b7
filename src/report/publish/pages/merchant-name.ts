import type { MerchantReport } from '../../build/merchant-report.ts'

/** What a page shows as the heading of a merchant, and the name that it shows below as unconfirmed. */
export type ShownName = {
  /** Null when the address is shown in place of a name. */
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

/** A name that only one catalogue gives never replaces the address. */
export function toShownName({ address, name, name_confirmed: isConfirmed }: NamedMerchant): ShownName {
  if (name === address) return { name: null, unconfirmed: null }
  return isConfirmed ? { name, unconfirmed: null } : { name: null, unconfirmed: name }
}

/** The report as a page shows it when its name is not confirmed: under its address, in its sentence too. */
export function withoutName(report: MerchantReport): MerchantReport {
  const { address, name, claim } = report
  return { ...report, name: address, claim: claim.replace(name, () => address) }
}
