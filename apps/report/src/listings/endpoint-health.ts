import type { Address } from '@tollbook/chain/hex'
import type { HealthState } from '@tollbook/verify/listings/health'
import type { State } from '../state/state.ts'

/** Whether a buyer cannot pay the endpoint as it is listed. */
export function isUnhealthy(state: HealthState): boolean {
  return state !== 'payable' && state !== 'unclear'
}

type CheckedEndpoint = {
  readonly resource: string
  readonly payTo: Address
  readonly state: HealthState
}

/** Records what unpaid requests showed; `since` moves only with the state. */
export async function recordHealth(
  state: State,
  checked: readonly CheckedEndpoint[],
  at: Date,
): Promise<void> {
  for (const { resource, payTo, state: found } of checked) {
    const times = { since: at.getTime(), checked_at: at.getTime() }
    await state.db
      .insertInto('report_endpoint_health')
      .values({ resource, pay_to: payTo, state: found, ...times })
      .onConflict((conflict) =>
        conflict.columns(['resource', 'pay_to']).doUpdateSet((row) => ({
          state: row.ref('excluded.state'),
          checked_at: row.ref('excluded.checked_at'),
          since: row
            .case()
            .when('report_endpoint_health.state', '=', row.ref('excluded.state'))
            .then(row.ref('report_endpoint_health.since'))
            .else(row.ref('excluded.since'))
            .end(),
        })),
      )
      .execute()
  }
}

export async function recordUnreachable(state: State, origin: string, at: Date): Promise<void> {
  const rows = await state.db
    .selectFrom('report_listings')
    .select(['resource', 'pay_to'])
    .distinct()
    .where('host', '=', new URL(origin).host)
    .execute()
  const own = rows.filter(({ resource }) => new URL(resource).origin === origin)
  const toChecked = ({ resource, pay_to }: (typeof rows)[number]): CheckedEndpoint => ({
    resource,
    payTo: pay_to as Address,
    state: 'unreachable',
  })
  await recordHealth(state, own.map(toChecked), at)
}
