/** The minimum charge of a metered call, in dollars: transfers of less are not worth their gas. */
export const MIN_CHARGE_USD = '0.001'
