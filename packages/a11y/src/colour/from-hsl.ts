import type { Colour } from './colour.ts'

type Hsl = {
  /** Degrees, of any size. */
  readonly hue: number
  /** 0 to 100. */
  readonly saturation: number
  /** 0 to 100. */
  readonly lightness: number
  readonly alpha: number
}

/**
 * The sRGB colour of a hue, a saturation and a lightness.
 * @see https://www.w3.org/TR/css-color-4/#hsl-to-rgb
 */
export function fromHsl({ hue, saturation, lightness, alpha }: Hsl): Colour {
  const [share, light] = [saturation / 100, lightness / 100]
  const strength = share * Math.min(light, 1 - light)
  const channel = (offset: number) => {
    const twelfth = (((offset + hue / 30) % 12) + 12) % 12
    return 255 * (light - strength * Math.max(-1, Math.min(twelfth - 3, 9 - twelfth, 1)))
  }
  return { red: channel(0), green: channel(8), blue: channel(4), alpha }
}
