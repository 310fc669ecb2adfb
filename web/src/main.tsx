import { render } from 'preact';
import { App } from './app.tsx';
import { follow } from './data.ts';
// Later ones override earlier ones.
import './style/base.css';
import './style/frame.css';
import './style/overview.css';
import './style/tables.css';
import './style/timeline.css';
import './style/pages.css';
import './style/narrow.css';

const place = document.getElementById('app');
if (place) render(<App />, place);
follow();
