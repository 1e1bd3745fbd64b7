/** Parts that can run separately. */
export const PARTS = ['index', 'report', 'social', 'utility', 'inference'] as const
export type Part = (typeof PARTS)[number]
