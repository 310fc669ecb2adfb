import { expect, test } from 'vitest';
import { monthOf } from './months.ts';

/** As glibc has them, which journalctl asks: one for each language whose words are its own. */
const LANGUAGES: Readonly<Record<string, string>> = {
  Bulgarian: 'яну,фев,мар,апр,май,юни,юли,авг,сеп,окт,ное,дек',
  Catalan:
    'de gen.,de febr.,de març,d’abr.,de maig,de juny,de jul.,d’ag.,de set.,d’oct.,de nov.,de des.',
  Czech: 'led,úno,bře,dub,kvě,čen,čec,srp,zář,říj,lis,pro',
  German: 'Jän,Feb,Mär,Apr,Mai,Jun,Jul,Aug,Sep,Okt,Nov,Dez',
  Greek: 'Ιαν,Φεβ,Μαρ,Απρ,Μαΐ,Ιουν,Ιουλ,Αυγ,Σεπ,Οκτ,Νοε,Δεκ',
  English: 'Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec',
  Spanish: 'ene,feb,mar,abr,may,jun,jul,ago,sep,oct,nov,dic',
  Estonian: 'jaan,veebr,märts,apr,mai,juuni,juuli,aug,sept,okt,nov,dets',
  Finnish: 'tammi,helmi,maalis,huhti,touko,kesä,heinä,elo,syys,loka,marras,joulu',
  French: 'janv.,févr.,mars,avril,mai,juin,juil.,août,sept.,oct.,nov.,déc.',
  'Canadian French': 'jan,fév,mar,avr,mai,jun,jui,aoû,sep,oct,nov,déc',
  Hungarian: 'jan,febr,márc,ápr,máj,jún,júl,aug,szept,okt,nov,dec',
  Indonesian: 'Jan,Feb,Mar,Apr,Mei,Jun,Jul,Agu,Sep,Okt,Nov,Des',
  Icelandic: 'jan,feb,mar,apr,maí,jún,júl,ágú,sep,okt,nóv,des',
  Italian: 'gen,feb,mar,apr,mag,giu,lug,ago,set,ott,nov,dic',
  Korean: '1월,2월,3월,4월,5월,6월,7월,8월,9월,10월,11월,12월',
  Lithuanian: 'saus.,vas.,kov.,bal.,geg.,birž.,liep.,rugp.,rugs.,spal.,lapkr.,gruod.',
  Latvian: 'jan,feb,mar,apr,mai,jūn,jūl,aug,sep,okt,nov,dec',
  Norwegian: 'jan.,feb.,mars,april,mai,juni,juli,aug.,sep.,okt.,nov.,des.',
  Dutch: 'jan,feb,mrt,apr,mei,jun,jul,aug,sep,okt,nov,dec',
  Polish: 'sty,lut,mar,kwi,maj,cze,lip,sie,wrz,paź,lis,gru',
  Portuguese: 'jan,fev,mar,abr,mai,jun,jul,ago,set,out,nov,dez',
  Romanian: 'ian,feb,mar,apr,mai,iun,iul,aug,sep,oct,nov,dec',
  Russian: 'янв,фев,мар,апр,мая,июн,июл,авг,сен,окт,ноя,дек',
  Slovak: 'jan,feb,mar,apr,máj,jún,júl,aug,sep,okt,nov,dec',
  Slovenian: 'jan,feb,mar,apr,maj,jun,jul,avg,sep,okt,nov,dec',
  Serbian: 'јан,феб,мар,апр,мај,јун,јул,авг,сеп,окт,нов,дец',
  Swedish: 'jan,feb,mar,apr,maj,jun,jul,aug,sep,okt,nov,dec',
  Turkish: 'Oca,Şub,Mar,Nis,May,Haz,Tem,Ağu,Eyl,Eki,Kas,Ara',
  Ukrainian: 'січ,лют,бер,кві,тра,чер,лип,сер,вер,жов,лис,гру',
  Vietnamese: 'Thg 1,Thg 2,Thg 3,Thg 4,Thg 5,Thg 6,Thg 7,Thg 8,Thg 9,Thg 10,Thg 11,Thg 12',
  Chinese: '1月,2月,3月,4月,5月,6月,7月,8月,9月,10月,11月,12月',
  Hebrew: 'ינו,פבר,מרץ,אפר,מאי,יונ,יול,אוג,ספט,אוק,נוב,דצמ',
  Arabic: 'ينا,فبر,مار,أبر,ماي,يون,يول,أغس,سبت,أكت,نوف,ديس',
  'Arabic of the Gulf':
    'يناير,فبراير,مارس,أبريل,مايو,يونيو,يوليو,أغسطس,سبتمبر,أكتوبر,نوفمبر,ديسمبر',
  Belarusian: 'сту,лют,сак,кра,мая,чэр,ліп,жні,вер,кас,ліс,сне',
  Macedonian: 'јан,фев,мар,апр,мај,јун,јул,авг,сеп,окт,ное,дек',
};

test.each(Object.entries(LANGUAGES))('monthOf knows the months of %s', (_, names) => {
  expect(names.split(',').map(monthOf)).toEqual([...Array(12).keys()]);
});

test('monthOf knows the months of Croatian that mean no other in Polish or Czech', () => {
  expect('sij,velj,ožu,tra,svi,kol,ruj,stu,pro'.split(',').map(monthOf)).toEqual([
    ...[0, 1, 2, 3, 4, 7, 8, 10, 11],
  ]);
});

test.each(['anx', '', '0月', '13月', 'Th13'])('monthOf knows no month %j', (name) => {
  expect(monthOf(name)).toBeNaN();
});
