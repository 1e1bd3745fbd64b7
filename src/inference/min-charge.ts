/** The least that a metered call costs, in dollars: transfers of less are not worth their gas. */
export const MIN_CHARGE_USD = '0.001'
