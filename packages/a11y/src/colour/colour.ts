/** A colour in sRGB: channels 0 to 255, not rounded to whole numbers, and opacity 0 to 1. */
export type Colour = {
  readonly red: number
  readonly green: number
  readonly blue: number
  readonly alpha: number
}

export const BLACK: Colour = Object.freeze({ red: 0, green: 0, blue: 0, alpha: 1 })
export const WHITE: Colour = Object.freeze({ red: 255, green: 255, blue: 255, alpha: 1 })

/** The colour seen when `front` lies over the opaque `back` (source-over, CSS Compositing 1 section 9.1.4). */
export function composite(front: Colour, back: Colour): Colour {
  return { ...mix(back, front, front.alpha), alpha: 1 }
}

/** The linear interpolation at `share` (0 to 1) between two colours, with the first one's alpha. */
export function mix(from: Colour, to: Colour, share: number): Colour {
  const between = (a: number, b: number) => a * (1 - share) + b * share
  return {
    red: between(from.red, to.red),
    green: between(from.green, to.green),
    blue: between(from.blue, to.blue),
    alpha: from.alpha,
  }
}

/** The nearest colour with whole channels, as an 8-bit screen shows it. */
export function toWholeChannels(colour: Colour): Colour {
  const { red, green, blue, alpha } = colour
  return { red: Math.round(red), green: Math.round(green), blue: Math.round(blue), alpha }
}

/** Writes `#rrggbb`, or `#rrggbbaa` when the colour is not opaque; channels are rounded to 8 bits. */
export function toHex(colour: Colour): string {
  const { red, green, blue, alpha } = colour
  const channels = alpha < 1 ? [red, green, blue, alpha * 255] : [red, green, blue]
  return `#${channels.map((channel) => Math.round(channel).toString(16).padStart(2, '0')).join('')}`
}
