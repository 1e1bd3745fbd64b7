import type { ReportInputs } from '../published/inputs.ts'
import type { Check } from './check.ts'

/** The inputs that only a merchant group has: the chain knows no host, so which wallets are its own is not on it. */
export function checkGroupInputs(inputs: ReportInputs): readonly Check[] {
  const { wallets = [], disclosed_wallets: disclosed } = inputs
  const note = 'as the claims of its wallets state'
  const own = new Set(disclosed)
  const hasAll = wallets.every((wallet) => own.has(wallet))
  return [
    { field: 'inputs.claimed', verdict: 'not_checked', published: inputs.claimed, note },
    { field: 'inputs.wallets', verdict: 'from_inputs', published: wallets.join(', ') },
    {
      field: 'inputs.disclosed_wallets',
      // Further wallets are those of claims, which are not read.
      verdict: !hasAll ? 'differs' : own.size > wallets.length ? 'from_inputs' : 'equal',
      published: disclosed.join(', '),
      note: 'must contain all wallets of the merchant group',
    },
  ]
}

/** Wallets of the publisher itself, which its settings name and nobody signed. */
export function checkOperatorWallets({ operator_wallets: wallets }: ReportInputs): readonly Check[] {
  if (!wallets) return []
  const note = 'with these the publisher pays its own service; no claim confirms it'
  return [{ field: 'inputs.operator_wallets', verdict: 'from_inputs', published: wallets.join(', '), note }]
}
