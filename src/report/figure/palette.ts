/** Okabe and Ito's colours, told apart with every common colour blindness; hatching repeats them in print. */
export const PALETTE = {
  accuracy: '#0072B2',
  overconfident: '#D55E00',
  overconfidentTint: '#FAE3D3',
  underconfident: '#009E73',
  underconfidentTint: '#D3F0E6',
  histogram: '#7A8793',
  ink: '#1F2933',
  muted: '#5B6770',
  grid: '#E3E7EA',
  paper: '#FFFFFF',
} as const;

export const FONT = "system-ui, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";
