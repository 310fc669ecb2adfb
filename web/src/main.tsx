import { render } from 'preact';
import { App } from './app.tsx';
import { follow } from './data.ts';
import './style.css';

const place = document.getElementById('app');
if (place) render(<App />, place);
follow();
